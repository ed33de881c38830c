//! Requests while queens are gone, silent, or no majority.

use std::time::Duration;

use antfarm_client::{Ask, ClientError};
use antfarm_model::MemberId;
use antfarm_protocol::QueenMessage;
use axum::http::Method;
use tokio::time::Instant;

use crate::cluster::{Cluster, http, read};
use crate::forager::{Forager, hello};

const GRAPH: &str = r#"{"id": "late", "nodes": {"a": {"tool": "echo"}}}"#;

#[tokio::test]
async fn a_follower_has_the_leader_answer() {
    let cluster = Cluster::of(3, &[]).await;
    let follower = cluster.followers().await[0];
    let client = cluster.client_of(&[follower]);
    assert!(client.submit(GRAPH, "application/json").await.expect("it is forwarded").new);
    assert_eq!(client.graph("late").await.expect("what was acknowledged is seen").nodes.total, 1);
    assert_eq!(client.explain("late", "a").await.expect("the leader knows").reason, "no_forager_with_tool");
}

#[tokio::test]
async fn a_forwarded_request_is_not_forwarded_again() {
    let cluster = Cluster::of(3, &[]).await;
    let follower = cluster.followers().await[0];
    let ask = Ask { headers: vec![("antfarm-forwarded", "9".into())], ..Ask::read("/v1/graphs") };
    let client = cluster.client_within(&[follower], Duration::from_secs(1));
    let error = client.ask(&ask).await.expect_err("nobody else is asked");
    assert!(matches!(&error, ClientError::NoLeader(why) if why.contains("does not lead")), "{error}");
}

#[tokio::test]
async fn requests_go_on_after_the_leader_is_gone() {
    let mut cluster = Cluster::of(3, &[]).await;
    let (leader, followers) = (cluster.leader().await, cluster.followers().await);
    cluster.stop(leader).await;
    let client = cluster.client_of(&followers);
    assert!(client.submit(GRAPH, "application/json").await.expect("another one leads").new);
}

#[tokio::test]
async fn without_a_majority_submissions_are_refused_in_time() {
    let mut cluster = Cluster::of(3, &[]).await;
    for id in [1, 2] {
        cluster.stop(id).await;
    }
    let client = cluster.client();
    let began = Instant::now();
    let error = client.submit(GRAPH, "application/json").await.expect_err("one of three is no majority");
    assert!(began.elapsed() < Duration::from_secs(4), "it took {:?}", began.elapsed());
    assert_eq!(error.exit_code(), 3);
    let view = client.cluster().await.expect("the last one says how it is");
    assert_eq!(view.leader, None);
    assert_eq!(view.members.iter().map(|member| member.reachable).collect::<Vec<_>>(), [false, false, true]);
}

#[tokio::test]
async fn a_leader_that_falls_silent_towards_clients_does_not_hold_them() {
    let cluster = Cluster::of(3, &[]).await;
    let (leader, followers) = (cluster.leader().await, cluster.followers().await);
    cluster.network.silence(&http(leader));
    let began = Instant::now();
    let error = cluster.client_of(&followers[..1]).graph("late").await.expect_err("nobody answers");
    assert!(matches!(error, ClientError::NoLeader(_)), "{error}");
    assert!(began.elapsed() < Duration::from_secs(4), "it took {:?}", began.elapsed());
}

#[tokio::test]
async fn leadership_is_handed_over_on_request() {
    let cluster = Cluster::of(3, &[]).await;
    let follower = cluster.followers().await[0] as u64;
    assert_eq!(cluster.client().transfer(Some(follower)).await, Ok(follower));
    assert_eq!(cluster.leader().await as u64, follower);
}

#[tokio::test]
async fn a_request_to_hand_over_that_is_sent_again_moves_nothing() {
    let cluster = Cluster::of(3, &[]).await;
    let former = cluster.leader().await;
    let term = async || cluster.client().cluster().await.expect("it answers").term;
    let before = term().await;
    let body = format!("{{\"to\": null, \"from\": {former}}}");
    let ask = Ask::change(Method::POST, "/v1/cluster/transfer").with_body(body, "application/json");
    let mut said = Vec::new();
    for _ in 0..3 {
        said.push(cluster.client().ask(&ask).await.expect("a leader answers").text());
    }
    let leader = cluster.leader().await;
    assert_ne!(leader, former);
    assert!(said.iter().all(|said| *said == format!("{{\"leader\":{leader}}}")), "{said:?}");
    assert_eq!(term().await, before + 1, "one election was enough");
}

#[tokio::test]
async fn a_follower_tells_foragers_of_a_new_leader_unasked() {
    let cluster = Cluster::of(3, &[]).await;
    let former = cluster.leader().await;
    let next = (1..=3).find(|queen| *queen != former).expect("there are three");
    let follower = (1..=3).find(|queen| ![former, next].contains(queen)).expect("there are three");
    let mut forager = Forager::connect_to(&cluster, follower).await;
    forager.say(hello("f")).await;
    let mut says = async |leader: usize| {
        let leader = Some(MemberId(leader as u64));
        forager.until(|message| matches!(message, QueenMessage::Welcome(w) if w.leader == leader).then_some(())).await;
    };
    says(former).await;
    cluster.client().transfer(Some(next as u64)).await.expect("a follower takes over");
    says(next).await;
}

#[tokio::test]
async fn replicas_with_the_same_index_have_the_same_digest() {
    let cluster = Cluster::of(3, &[]).await;
    cluster.submit("g").await;
    let started = Instant::now();
    loop {
        let views = cluster.client().cluster_of_each().await;
        let views: Vec<_> = views.into_iter().map(|view| view.expect("all answer")).collect();
        if views.iter().all(|view| view.applied_index == views[0].applied_index) {
            assert!(
                views.iter().all(|view| view.state_digest == views[0].state_digest && view.leader == views[0].leader)
            );
            assert_eq!(views[0].members.iter().filter(|member| member.role == "leader").count(), 1);
            assert!(views[0].members.iter().all(|member| member.reachable && member.clock_skew_ms.is_some()));
            return;
        }
        assert!(started.elapsed() < crate::cluster::PATIENCE, "the replicas never met");
    }
}

#[tokio::test]
async fn a_stale_read_needs_no_leader() {
    let mut cluster = Cluster::of(3, &[]).await;
    cluster.submit("g").await;
    for id in [1, 2] {
        cluster.stop(id).await;
    }
    let client = cluster.client_of(&[3]);
    assert!(read(&client, "/v1/graphs?consistency=stale").await.expect("it answers").text().contains("\"graphs\""));
}

#[tokio::test]
async fn a_silent_queen_costs_a_client_only_a_moment() {
    let cluster = Cluster::of(3, &[]).await;
    let (leader, silent) = (cluster.leader().await, cluster.followers().await[0]);
    cluster.network.silence(&http(silent));
    let began = Instant::now();
    let submitted = cluster.client_of(&[silent, leader]).submit(GRAPH, "application/json").await;
    assert!(submitted.expect("the next one is asked").new);
    assert!(began.elapsed() < Duration::from_secs(2), "it took {:?}", began.elapsed());
}
