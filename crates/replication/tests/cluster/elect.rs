//! Who leads, and in which term.

use std::sync::Arc;

use antfarm_env::{Net, TcpNetwork};
use antfarm_model::MemberId;
use antfarm_replication::{Leadership, Member, NotLeading, ProposeError, ReplicaConfig, TransferError};
use antfarm_storage::{SledEngine, SystemDisk};

use crate::harness::{Cluster, PATIENCE, address, eventually, name, propose, start};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_replicas_elect_a_leader_and_agree() {
    let cluster = Cluster::running(3).await;
    let mut last = cluster.commit().await;
    for _ in 0..20 {
        last = cluster.commit().await;
    }
    cluster.agree(last).await;
    let (leader, _) = cluster.leader().await;
    for (id, replica) in &cluster.replicas {
        let status = replica.status();
        assert_eq!(status.members.len(), 3);
        assert!(status.members.values().all(|member| member.voter));
        assert_eq!(*id == leader, matches!(*replica.leadership().borrow(), Leadership::Leading { .. }));
    }
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_on_sled_and_tcp_agree() {
    let folders: Vec<_> = (0..3).map(|_| tempfile::tempdir().expect("a folder")).collect();
    let mut members = std::collections::BTreeMap::new();
    for id in 1..=3 {
        let free = Net::new(TcpNetwork).listen("127.0.0.1:0").await.expect("a free port").local_address();
        members.insert(MemberId(id), Member { raft: free.clone(), http: free });
    }
    let mut cluster = Cluster::new(0);
    for (id, folder) in (1..=3).zip(&folders) {
        let listen = members[&MemberId(id)].raft.clone();
        let config = ReplicaConfig::new(name("ants"), MemberId(id), listen, members.clone());
        let engine = Arc::new(SledEngine::open(&folder.path().join("log")).expect("a new database"));
        let snapshots = folder.path().join("snapshots");
        let replica = start(config, Net::new(TcpNetwork), engine, Arc::new(SystemDisk), &snapshots).await;
        cluster.replicas.insert(id, replica.expect("a member starts"));
    }
    let mut last = cluster.commit().await;
    for _ in 0..20 {
        last = cluster.commit().await;
    }
    cluster.agree(last).await;
    cluster.shutdown().await;
}

#[tokio::test]
async fn a_leader_that_restarts_at_once_leads_in_a_higher_term() {
    let mut cluster = Cluster::running(1).await;
    let (_, first) = cluster.leader().await;
    let mut epochs = vec![first.epoch];
    for _ in 0..3 {
        cluster.crash(1).await;
        cluster.start(1).await.expect("the member starts again");
        epochs.push(cluster.leader().await.1.epoch);
    }
    assert!(epochs.is_sorted_by(|before, after| before < after), "{epochs:?}");
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_leader_of_three_that_restarts_at_once_never_resumes_its_term() {
    let mut cluster = Cluster::running(3).await;
    let (leader, before) = cluster.leader().await;
    cluster.crash(leader).await;
    cluster.start(leader).await.expect("the member starts again");
    let (_, after) = cluster.leader().await;
    assert!(after.epoch > before.epoch, "{before:?} {after:?}");
    cluster.agree(cluster.commit().await).await;
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_leader_whose_answers_are_lost_is_replaced_although_its_heartbeats_arrive() {
    let cluster = Cluster::running(3).await;
    let committed = cluster.commit().await;
    let (old, office) = cluster.leader().await;
    for other in (1..=3).filter(|id| *id != old) {
        cluster.switch.mute(&address(other), &address(old));
    }
    let unheard = propose(&cluster.replicas[&old], office.epoch).await;

    let (new, successor) = cluster.leader_among(|id| id != old).await;
    assert!(successor.epoch > office.epoch);
    assert!(successor.index > committed);
    let pending = propose(&cluster.replicas[&new], successor.epoch).await;
    let index = pending.await.expect("the new leader commits").position.index;
    assert_eq!(
        cluster.replicas[&old].open_office().await,
        Err(NotLeading::NoQuorum),
        "the old one can confirm nothing"
    );

    cluster.switch.heal();
    cluster.agree(index).await;
    let unheard = unheard.await;
    assert!(!matches!(unheard, Err(ProposeError::NotLeading { .. })), "it was appended, and is in the log or not");
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_isolated_follower_does_not_raise_the_term() {
    let cluster = Cluster::running(3).await;
    let (leader, office) = cluster.leader().await;
    let lonely = (1..=3).find(|id| *id != leader).expect("there are others");
    for other in (1..=3).filter(|id| *id != lonely) {
        cluster.switch.cut(&address(lonely), &address(other));
        cluster.switch.cut(&address(other), &address(lonely));
    }
    eventually("the isolated follower asks for votes", async || {
        (cluster.switch.vain(&address(lonely)) >= 4).then_some(())
    })
    .await;
    let last = cluster.commit().await;
    cluster.switch.heal();
    cluster.agree(last).await;
    assert_eq!(cluster.leader().await.1.epoch, office.epoch, "nobody was deposed");
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leadership_is_handed_over_on_request() {
    let cluster = Cluster::running(3).await;
    let (old, before) = cluster.leader().await;
    let to = cluster.replicas[&old].transfer(None).await.expect("somebody takes over");
    assert_ne!(to.0, old);
    let (new, after) = cluster.leader().await;
    assert_eq!(new, to.0);
    assert!(after.epoch > before.epoch);
    let refused = cluster.replicas[&old].transfer(None).await;
    assert_eq!(refused, Err(TransferError::NotLeader { leader: Some(to) }));
    assert_eq!(cluster.replicas[&new].transfer(Some(MemberId(9))).await, Err(TransferError::NoSuchVoter));
    cluster.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_quorum_nothing_is_confirmed() {
    let mut cluster = Cluster::running(3).await;
    let (leader, office) = cluster.leader().await;
    for other in (1..=3).filter(|id| *id != leader) {
        cluster.crash(other).await;
    }
    let replica = &cluster.replicas[&leader];
    assert_eq!(replica.open_office().await, Err(NotLeading::NoQuorum));
    let pending = propose(replica, office.epoch).await;
    cluster.start((1..=3).find(|id| *id != leader).expect("there are others")).await.expect("a member comes back");
    let (_, again) = cluster.leader().await;
    assert!(tokio::time::timeout(PATIENCE, pending).await.is_ok(), "the proposal has ended, one way or the other");
    cluster.agree(again.index).await;
    cluster.shutdown().await;
}
