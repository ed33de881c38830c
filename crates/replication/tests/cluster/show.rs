//! What replicas tell of themselves and their peers.

use std::time::Duration;

use antfarm_model::MemberId;
use antfarm_replication::Leadership;

use crate::harness::{Cluster, PATIENCE, eventually};

/// Many heartbeats.
const SILENT: Duration = Duration::from_secs(1);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_the_leader_knows_when_a_quorum_last_answered() {
    let cluster = Cluster::running(3).await;
    cluster.agree(cluster.commit().await).await;
    let (leader, _) = cluster.leader().await;
    for (id, replica) in &cluster.replicas {
        let acked = replica.quorum_acked();
        assert_eq!(acked.is_some(), *id == leader, "member {id}: {acked:?}");
    }
    let status = cluster.replicas[&leader].status();
    assert_eq!(status.leader, Some(MemberId(leader)));
    assert!(status.members.values().all(|member| member.matched_index.is_some()), "{status:?}");
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_follower_knows_how_long_the_leader_has_been_silent() {
    let mut cluster = Cluster::running(3).await;
    cluster.agree(cluster.commit().await).await;
    let (leader, _) = cluster.leader().await;
    let followers: Vec<u64> = (1..=3).filter(|id| *id != leader).collect();
    let heard = cluster.replicas[&followers[0]].leader_heard();
    assert!(heard.is_some_and(|ago| ago < SILENT), "{heard:?}");
    cluster.crash(leader).await;
    cluster.crash(followers[1]).await;
    eventually("the one that is left notices the silence", async || {
        cluster.replicas[&followers[0]].leader_heard().filter(|ago| *ago > SILENT)
    })
    .await;
    cluster.shutdown().await;
}

#[tokio::test]
async fn a_single_member_is_a_quorum_at_any_time() {
    let cluster = Cluster::running(1).await;
    assert_eq!(cluster.replicas[&1].quorum_acked(), Some(Duration::ZERO));
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_wall_clocks_of_all_voters_are_asked_and_a_silent_one_has_none() {
    let mut cluster = Cluster::running(3).await;
    cluster.agree(cluster.commit().await).await;
    let (leader, _) = cluster.leader().await;
    let silent = (1..=3).find(|id| *id != leader).expect("there are others");
    let clocks = cluster.replicas[&leader].wall_clocks(PATIENCE).await;
    assert_eq!(clocks.len(), 3);
    assert!(clocks.values().all(Option::is_some), "{clocks:?}");
    cluster.crash(silent).await;
    let clocks = eventually("the crashed one is silent", async || {
        let clocks = cluster.replicas[&leader].wall_clocks(PATIENCE).await;
        clocks[&MemberId(silent)].is_none().then_some(clocks)
    })
    .await;
    assert_eq!(clocks.values().filter(|clock| clock.is_some()).count(), 2);
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leadership_is_told_as_it_changes() {
    let mut cluster = Cluster::running(3).await;
    let (old, _) = cluster.leader().await;
    let mut hints: Vec<_> =
        cluster.replicas.iter().filter(|(id, _)| **id != old).map(|(_, replica)| replica.leadership()).collect();
    cluster.crash(old).await;
    for hint in &mut hints {
        let changed = hint.wait_for(|hint| match hint {
            Leadership::Leading { .. } => true,
            Leadership::Following { leader } => leader.is_some_and(|leader| leader.0 != old),
        });
        tokio::time::timeout(PATIENCE, changed).await.expect("it is told").expect("the replica runs");
    }
    cluster.shutdown().await;
}
