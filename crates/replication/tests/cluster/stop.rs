//! Replicas that stop, by themselves or not.

use std::sync::Arc;

use antfarm_model::Epoch;
use antfarm_replication::{Failure, Gap, NotLeading, ProposeError};
use antfarm_storage::StorageError;

use crate::harness::{Cluster, PATIENCE, entry};

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
