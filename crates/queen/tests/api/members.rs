//! Queens come and go.

use std::time::Duration;

use antfarm_client::views::{ClusterView, MemberView};
use antfarm_client::{Ask, ClientError};
use antfarm_protocol::{QueenMessage, Welcome};
use tokio::time::Instant;

use crate::cluster::{Cluster, PATIENCE, http, raft, read, refused};
use crate::forager::{Forager, hello};

/// Asks until a queen that joins is a member and has everything.
async fn caught_up(cluster: &Cluster, id: usize) -> ClusterView {
    let began = Instant::now();
    loop {
        let view = cluster.client_of(&[1]).cluster().await.expect("a queen answers");
        let member = member(&view, id);
        if member.is_some_and(|member| member.applied_index >= Some(view.commit_index)) {
            return view;
        }
        assert!(began.elapsed() < PATIENCE, "it does not catch up: {view:?}");
    }
}

fn member(view: &ClusterView, id: usize) -> Option<&MemberView> {
    view.members.iter().find(|member| member.id == id as u64)
}

#[tokio::test]
async fn a_queen_is_added_promoted_and_removed_through_any_queen() {
    let mut cluster = Cluster::of(3, &[]).await;
    let new = cluster.join().await;
    let (any, id) = (cluster.client_of(&cluster.followers().await[..1]), new as u64);
    let added = any.add_member(id, &http(new), &raft(new)).await.expect("it is new");
    assert!(!added.voter);
    let view = caught_up(&cluster, new).await;
    let learner = member(&view, new).expect("it is a member");
    assert_eq!((learner.role.as_str(), learner.voter, learner.reachable), ("learner", false, true));
    assert_eq!(any.add_member(id, &http(new), &raft(new)).await.expect("a retry is safe"), added);
    assert!(any.promote_member(id).await.expect("it has caught up").voter);
    assert!(any.promote_member(id).await.expect("a retry is safe").voter);
    let leader = cluster.leader().await;
    any.remove_member(leader as u64, false).await.expect("it hands over first");
    any.remove_member(leader as u64, false).await.expect("a retry is safe");
    assert!(cluster.failed(leader).await.contains("removed from the cluster"));
    cluster.stop(leader).await;
    let left: Vec<usize> = (1..=new).filter(|id| *id != leader).collect();
    let view = cluster.client_of(&left).cluster().await.expect("a queen answers");
    assert!(view.members.iter().map(|member| member.id).eq(left.iter().map(|id| *id as u64)));
    assert!(view.members.iter().all(|member| member.voter));
}

#[tokio::test]
async fn what_cannot_be_changed_is_refused_with_its_reason() {
    let mut cluster = Cluster::of(2, &[]).await;
    let client = cluster.client();
    let kind = |answer| refused(answer).map(|_| ()).map_err(|problem| (problem.status, problem.kind().to_owned()));
    let no = |status, kind: &str| Err((status, kind.to_owned()));
    let add = async |id, http: &str, raft: &str| kind(client.add_member(id, http, raft).await);
    assert_eq!(add(0, "a:1", "a:2").await, no(400, "bad-request"));
    assert_eq!(add(3, "a:1", "somewhere").await, no(400, "bad-request"));
    assert_eq!(add(2, "a:1", "a:2").await, no(409, "conflict"));
    assert_eq!(add(3, &http(1), "a:2").await, no(409, "conflict"));
    assert_eq!(kind(client.promote_member(3).await), no(404, "not-found"));
    assert_eq!(add(3, "a:1", "a:2").await, Ok(()));
    assert_eq!(kind(client.promote_member(3).await), no(409, "not-caught-up"));
    assert_eq!(refused(client.remove_member(9, false).await).map_err(|no| no.status), Err(404));
    client.remove_member(3, false).await.expect("it only learns");
    assert_eq!(add(3, "a:1", "a:2").await, no(409, "conflict"));
    let leader = cluster.leader().await;
    cluster.stop(3 - leader).await;
    let client = cluster.client_of(&[leader]);
    let refused = client.remove_member(leader as u64, false).await.expect_err("the other one is silent");
    // Whether the leader has noticed before that nobody follows it decides which of these it is.
    if let ClientError::Refused(problem) = refused {
        assert!(matches!(problem.kind(), "quorum-at-risk" | "no-quorum"), "{problem:?}");
    } else {
        assert!(matches!(refused, ClientError::OutcomeUnknown(_) | ClientError::NoLeader(_)), "{refused}");
    }
}

#[tokio::test]
async fn a_queen_that_joins_is_not_ready_before_it_is_a_member() {
    let mut cluster = Cluster::of(1, &[]).await;
    let new = cluster.join().await;
    let own = cluster.client_within(&[new], Duration::from_millis(500));
    let waiting = own.ask(&Ask::read("/readyz")).await.expect_err("it is no member yet").to_string();
    assert!(waiting.contains(&format!("`antfarm cluster add --id {new} --http {} --raft {}`", http(new), raft(new))));
    cluster.client_of(&[1]).add_member(new as u64, &http(new), &raft(new)).await.expect("it is new");
    caught_up(&cluster, new).await;
    read(&cluster.client_of(&[new]), "/readyz").await.expect("it is ready");
}

#[tokio::test]
async fn foragers_are_told_of_queens_that_come_and_go() {
    let mut cluster = Cluster::of(1, &[]).await;
    let (mut forager, incarnation) = Forager::registered(&cluster, hello("f")).await;
    let new = cluster.join().await;
    let client = cluster.client_of(&[1]);
    client.add_member(new as u64, &http(new), &raft(new)).await.expect("it is new");
    let members = async |forager: &mut Forager, number| {
        let is = |message| {
            let QueenMessage::Welcome(Welcome { members, incarnation: Some(same), .. }) = message else { return None };
            assert_eq!(same, incarnation, "it is registered as before");
            let addresses = || members.iter().map(|member| member.http.to_string()).collect::<Vec<_>>();
            (members.len() == number).then(addresses)
        };
        forager.until(is).await
    };
    assert_eq!(members(&mut forager, 2).await, [http(1), http(new)]);
    client.remove_member(new as u64, false).await.expect("it only learns");
    assert_eq!(members(&mut forager, 1).await, [http(1)]);
}
