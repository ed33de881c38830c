//! Replicas that stop, by themselves or not.

use std::sync::Arc;
use std::time::Duration;

use antfarm_model::Epoch;
use antfarm_replication::{Failure, Gap, Leadership, NotLeading, ProposeError};
use antfarm_storage::StorageError;

use crate::harness::{Cluster, PATIENCE, entry, eventually, propose};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failing_disk_stops_the_replica_and_the_others_go_on() {
    let cluster = Cluster::running(3).await;
    let (leader, office) = cluster.leader().await;
    let error = StorageError::Io {
        path: "/log".into(),
        operation: "syncing",
        source: Arc::new(std::io::Error::other("no more disk")),
    };
    cluster.storages[&leader].engine.fail(&error);
    let pending = cluster.replicas[&leader].propose(&entry(office.epoch)).await;
    let failure = tokio::time::timeout(PATIENCE, cluster.replicas[&leader].failed()).await;
    let Ok(Failure::Storage(reason)) = failure else { panic!("the replica must stop: {failure:?}") };
    assert!(reason.contains("no more disk"), "{reason}");
    if let Ok(pending) = pending {
        assert_eq!(pending.await, Err(ProposeError::OutcomeUnknown));
    }
    assert_eq!(cluster.replicas[&leader].open_office().await, Err(NotLeading::Stopped));
    let (_, successor) = cluster.leader_among(|id| id != leader).await;
    assert!(successor.epoch > office.epoch);
    cluster.shutdown().await;
}

/// A cluster whose disks stand still after two seconds: ten of the longest time-outs.
async fn impatient() -> Cluster {
    let mut cluster = Cluster::new(3);
    cluster.change = |config| {
        (config.election_timeout_min, config.election_timeout_max) =
            (Duration::from_millis(150), Duration::from_millis(200));
    };
    cluster.start_all().await;
    cluster
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_leader_whose_disk_hangs_gives_up_office_and_follows_when_it_goes_on() {
    let cluster = impatient().await;
    let (leader, office) = cluster.leader().await;
    cluster.storages[&leader].engine.hold(true);
    let pending = propose(&cluster.replicas[&leader], office.epoch).await;
    let committed = pending.await.expect("the others commit without it").position.index;
    let (_, successor) = cluster.leader_among(|id| id != leader).await;
    assert!(successor.epoch > office.epoch && successor.index > committed);
    let seems = *cluster.replicas[&leader].leadership().borrow();
    assert!(matches!(seems, Leadership::Following { .. }), "{seems:?}");

    cluster.storages[&leader].engine.hold(false);
    cluster.agree(cluster.commit().await).await;
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_all_disks_hang_nobody_leads_and_terms_stay() {
    let cluster = impatient().await;
    let (leader, office) = cluster.leader().await;
    let hold = |held| cluster.storages.values().for_each(|storage| storage.engine.hold(held));
    hold(true);
    let pending = propose(&cluster.replicas[&leader], office.epoch).await;
    eventually("the others miss their leader for long", async || {
        let mut others = cluster.replicas.iter().filter(|(id, _)| **id != leader);
        others.all(|(_, other)| other.leader_heard() > Some(Duration::from_secs(2))).then_some(())
    })
    .await;
    eventually("the leader gives up office", async || {
        let seems = *cluster.replicas[&leader].leadership().borrow();
        matches!(seems, Leadership::Following { .. }).then_some(())
    })
    .await;
    hold(false);
    drop(pending);
    let (_, successor) = cluster.leader().await;
    let terms = successor.epoch.0 - office.epoch.0;
    assert!(terms <= 4, "{terms} terms: each of the two asks once while disks hang, and perhaps once more");
    cluster.agree(cluster.commit().await).await;
    cluster.shutdown().await;
}

#[tokio::test]
async fn after_a_shutdown_nothing_is_answered() {
    let cluster = Cluster::running(1).await;
    let replica = cluster.replicas[&1].clone();
    let mut outcomes = replica.outcomes();
    cluster.shutdown().await;
    assert_eq!(replica.open_office().await, Err(NotLeading::Stopped));
    assert_eq!(replica.propose(&entry(Epoch(1))).await.err(), Some(ProposeError::Stopped));
    assert_eq!(outcomes.next().await, Err(Gap::Stopped));
}
