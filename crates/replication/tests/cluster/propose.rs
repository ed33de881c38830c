//! What becomes of proposals.

use std::sync::Arc;

use antfarm_model::{Epoch, LogIndex};
use antfarm_replication::ProposeError;

use crate::harness::{Cluster, entry, propose};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_proposal_in_another_epoch_is_refused_and_nothing_is_appended() {
    let cluster = Cluster::running(3).await;
    let (leader, office) = cluster.leader().await;
    let replica = &cluster.replicas[&leader];
    let before = cluster.commit().await;
    for epoch in [Epoch(office.epoch.0 - 1), Epoch(office.epoch.0 + 1), Epoch(0)] {
        let refused = propose(replica, epoch).await.await;
        assert_eq!(refused, Err(ProposeError::NotLeading { leader: None }));
    }
    let generation = replica.propose(&entry(Epoch(office.epoch.0 | 1 << 48))).await;
    assert!(matches!(generation, Err(ProposeError::NotLeading { .. })), "it is of another generation");
    assert_eq!(cluster.commit().await, LogIndex(before.0 + 1));
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_follower_refuses_proposals_and_names_the_leader() {
    let cluster = Cluster::running(3).await;
    let index = cluster.commit().await;
    cluster.agree(index).await;
    let (leader, office) = cluster.leader().await;
    for (_, follower) in cluster.replicas.iter().filter(|(id, _)| **id != leader) {
        let refused = propose(follower, office.epoch).await.await;
        assert_eq!(refused, Err(ProposeError::NotLeading { leader: Some(antfarm_model::MemberId(leader)) }));
    }
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn proposals_are_pipelined_in_order_and_their_outcomes_are_seen_everywhere() {
    let cluster = Cluster::running(3).await;
    let (leader, office) = cluster.leader().await;
    cluster.agree(office.index).await;
    let mut readers: Vec<_> = cluster.replicas.values().map(antfarm_replication::Replica::outcomes).collect();
    let mut pending = Vec::new();
    for _ in 0..500 {
        pending.push(propose(&cluster.replicas[&leader], office.epoch).await);
    }
    let mut outcomes = Vec::new();
    for proposal in pending {
        outcomes.push(proposal.await.expect("it commits"));
    }
    let indexes: Vec<u64> = outcomes.iter().map(|outcome| outcome.position.index.0).collect();
    let expected: Vec<u64> = (indexes[0]..).take(500).collect();
    assert_eq!(indexes, expected);
    for reader in &mut readers {
        for outcome in &outcomes {
            assert_eq!(reader.next().await.as_deref(), Ok(Arc::as_ref(outcome)));
        }
    }
    cluster.shutdown().await;
}
