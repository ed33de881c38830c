//! Members without their memory, and members of other clusters.

use std::path::Path;
use std::sync::Arc;

use antfarm_model::MemberId;
use antfarm_replication::{Failure, ReplicaConfig, StartError};

use crate::harness::{Cluster, PATIENCE, Storage, address, eventually, members, name, start};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_member_that_lost_its_disk_is_refused_and_says_what_to_do() {
    let mut cluster = Cluster::running(3).await;
    let index = cluster.commit().await;
    cluster.agree(index).await;
    let (leader, _) = cluster.leader().await;
    let wiped = (1..=3).find(|id| *id != leader).expect("there are others");
    cluster.crash(wiped).await;
    cluster.storages.insert(wiped, Storage::empty());
    cluster.start(wiped).await.expect("an empty member starts");
    let failure = tokio::time::timeout(PATIENCE, cluster.replicas[&wiped].failed()).await;
    let Ok(Failure::Refused { reason, .. }) = failure else { panic!("it must be refused: {failure:?}") };
    assert_eq!(
        reason,
        format!("member {wiped} came back with another disk; remove it and add it under a new member id")
    );
    let status = cluster.replicas[&wiped].status();
    assert!(!status.initialised && status.last_index.0 == 0, "it got nothing and gave nothing: {status:?}");
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_member_without_memory_cannot_make_a_quorum() {
    let mut cluster = Cluster::running(3).await;
    let index = cluster.commit().await;
    cluster.agree(index).await;
    for id in [2, 3] {
        cluster.crash(id).await;
    }
    cluster.storages.insert(2, Storage::empty());
    cluster.start(2).await.expect("an empty member starts");
    tokio::time::timeout(PATIENCE, cluster.replicas[&2].failed()).await.expect("it is refused");
    assert!(cluster.replicas[&1].open_office().await.is_err(), "one of three is no quorum");
    cluster.start(3).await.expect("a member comes back");
    cluster.leader_among(|id| id != 2).await;
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replica_of_another_cluster_is_refused() {
    let cluster = Cluster::running(3).await;
    let stranger = Storage::empty();
    let mut all = members(4);
    all.retain(|id, _| *id == MemberId(1) || *id == MemberId(4));
    let config = ReplicaConfig::new(name("bees"), MemberId(4), address(4), all);
    let net = cluster.switch.at(&address(4));
    let replica = start(config, net, stranger.engine, Arc::new(stranger.disk), Path::new("/snapshots")).await;
    let replica = replica.expect("it starts");
    let failure = tokio::time::timeout(PATIENCE, replica.failed()).await;
    let Ok(Failure::Refused { member, reason }) = failure else { panic!("it must be refused: {failure:?}") };
    assert_eq!((member, reason.as_str()), (MemberId(1), "it belongs to cluster bees, this one to ants"));
    replica.shutdown().await;
    cluster.agree(cluster.commit().await).await;
    cluster.shutdown().await;
}

#[tokio::test]
async fn a_data_folder_serves_only_its_own_cluster_and_member() {
    let mut cluster = Cluster::running(1).await;
    cluster.crash(1).await;
    cluster.change = |config| config.cluster = name("bees");
    assert!(matches!(cluster.start(1).await, Err(StartError::OtherCluster { .. })));
    cluster.change = |config| config.member = MemberId(2);
    assert!(matches!(cluster.start(1).await, Err(StartError::OtherMember { .. })));
    cluster.change = |_| ();
    cluster.start(1).await.expect("with its own names it starts");
    eventually("it leads", async || cluster.replicas[&1].open_office().await.ok()).await;
    cluster.shutdown().await;
}
