//! Followers that are too far behind for the log.

use antfarm_replication::Gap;

use crate::harness::{Cluster, PATIENCE, eventually, propose};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_follower_that_was_down_catches_up_by_snapshot() {
    let mut cluster = Cluster::new(3);
    cluster.change = |config| {
        config.snapshot_floor_bytes = 1024;
        config.entries_kept = 10;
    };
    cluster.start_all().await;
    let (leader, _) = cluster.leader().await;
    cluster.agree(cluster.commit().await).await;
    let behind = (1..=3).find(|id| *id != leader).expect("there are others");
    cluster.crash(behind).await;
    let (leader, office) = cluster.leader().await;
    let mut last = office.index;
    for _ in 0..20 {
        let mut pending = Vec::new();
        for _ in 0..100 {
            pending.push(propose(&cluster.replicas[&leader], office.epoch).await);
        }
        for proposal in pending {
            last = proposal.await.expect("it commits").position.index;
        }
    }
    eventually("the log is purged beyond what the follower has", async || {
        (cluster.replicas[&leader].status().purged_index.0 > 1000).then_some(())
    })
    .await;
    cluster.start(behind).await.expect("it comes back");
    let mut outcomes = cluster.replicas[&behind].outcomes();
    let installed = tokio::time::timeout(PATIENCE, async {
        loop {
            if let Err(gap) = outcomes.next().await {
                return gap;
            }
        }
    });
    assert!(matches!(installed.await, Ok(Gap::Installed(index)) if index.0 > 1000), "readers are told");
    cluster.agree(last).await;
    eventually("its status names the snapshot that it was given", async || {
        (cluster.replicas[&behind].status().snapshot_index.0 > 1000).then_some(())
    })
    .await;
    cluster.crash(behind).await;
    cluster.start(behind).await.expect("it starts from the snapshot that it was given");
    cluster.agree(cluster.commit().await).await;
    cluster.shutdown().await;
}
