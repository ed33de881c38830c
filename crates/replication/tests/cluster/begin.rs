//! How a cluster begins.

use antfarm_model::MemberId;

use crate::harness::{Cluster, eventually};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_begins_only_when_all_initial_members_are_there() {
    let mut cluster = Cluster::new(3);
    cluster.start(1).await.expect("a member starts");
    cluster.start(2).await.expect("a member starts");
    eventually("the two have met", async || {
        let clocks = cluster.replicas[&1].status();
        (clocks.members.is_empty() && met(&cluster, 1, 2)).then_some(())
    })
    .await;
    assert!(cluster.replicas.values().all(|replica| !replica.status().initialised));
    cluster.start(3).await.expect("a member starts");
    let (_, office) = cluster.leader().await;
    cluster.agree(office.index).await;
    assert!(cluster.replicas.values().all(|replica| replica.status().initialised));
    cluster.shutdown().await;
}

/// Whether a member knows the disk of another.
fn met(cluster: &Cluster, member: u64, other: u64) -> bool {
    use antfarm_storage::{Fact, LogEngine};
    cluster.storages[&member].engine.fact(Fact::PeerDisk(other)).is_some()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn members_that_were_told_of_other_initial_members_do_not_begin() {
    let mut cluster = Cluster::new(3);
    cluster.change = |config| {
        if config.member == MemberId(3) {
            config.initial_members.remove(&MemberId(1));
        }
    };
    cluster.start_all().await;
    eventually("all have met", async || {
        [(1, 2), (1, 3), (2, 3)].into_iter().all(|(one, other)| met(&cluster, one, other)).then_some(())
    })
    .await;
    assert!(cluster.replicas.values().all(|replica| !replica.status().initialised));
    cluster.shutdown().await;
}
