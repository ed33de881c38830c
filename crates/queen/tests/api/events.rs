//! The event stream: in order, resumable at any queen, honest about what is gone.

use std::time::Duration;

use antfarm_client::{ClientError, EventStream, WatchedEvent};
use tokio::time::timeout;

use crate::cluster::{Cluster, PATIENCE};

/// Events up to the one that says that the graph has ended.
async fn until_ended(stream: &mut EventStream, graph: &str) -> Vec<WatchedEvent> {
    let mut events = Vec::new();
    loop {
        let event = timeout(PATIENCE, stream.next()).await.expect("events come").expect("the stream goes on");
        let ended = event.document["graph"] == graph && event.document["finished"] == true;
        events.push(event);
        if ended {
            return events;
        }
    }
}

#[tokio::test]
async fn events_of_a_graph_come_in_log_order() {
    let cluster = Cluster::of(1, &[]).await;
    let client = cluster.client();
    let start = client.cluster().await.expect("it answers").applied_index;
    cluster.submit("other").await;
    cluster.submit("g").await;
    client.cancel("g").await.expect("it runs");
    let events = until_ended(&mut client.events(Some(start), Some("g")), "g").await;
    assert!(events.windows(2).all(|pair| pair[0].index <= pair[1].index));
    assert!(events.iter().all(|event| event.document["graph"] == "g" && event.document["index"] == event.index));
    let states: Vec<(&str, &str)> = events
        .iter()
        .map(|event| (event.document["type"].as_str().expect("text"), event.document["state"].as_str().expect("text")))
        .collect();
    assert_eq!(states.first(), Some(&("graph", "running")));
    assert!(states.contains(&("node", "ready")));
    assert_eq!(states.last(), Some(&("graph", "cancelled")));
}

#[tokio::test]
async fn all_queens_tell_the_same_from_the_same_position() {
    let cluster = Cluster::of(3, &[]).await;
    let client = cluster.client();
    let start = client.cluster().await.expect("it answers").applied_index;
    let mut streams: Vec<EventStream> =
        (1..=3).map(|id| cluster.client_of(&[id]).events(Some(start + 1), None)).collect();
    cluster.submit("g").await;
    client.cancel("g").await.expect("it runs");
    let mut told = Vec::new();
    for stream in &mut streams {
        told.push(until_ended(stream, "g").await);
    }
    assert_eq!(told[0], told[1]);
    assert_eq!(told[0], told[2]);
}

#[tokio::test]
async fn a_position_that_is_gone_is_said_so() {
    let mut cluster = Cluster::of(1, &[]).await;
    cluster.submit("g").await;
    cluster.stop(1).await;
    cluster.start(1).await;
    let client = cluster.client();
    client.cancel("g").await.expect("what was acknowledged is kept");
    let error = client.events(Some(0), None).next().await.expect_err("what was before the start is gone");
    let ClientError::Refused(problem) = error else { panic!("{error}") };
    assert_eq!((problem.status, problem.kind()), (410, "gone"));
}

#[tokio::test]
async fn a_stream_goes_on_at_another_queen() {
    let mut cluster = Cluster::of(3, &[]).await;
    let first = cluster.followers().await[0];
    let others: Vec<usize> = (1..=3).filter(|id| *id != first).collect();
    let order = [&[first], others.as_slice()].concat();
    let client = cluster.client_of(&order);
    let start = client.cluster().await.expect("it answers").applied_index;
    let mut stream = client.events(Some(start), None);
    cluster.submit("one").await;
    cluster.client().cancel("one").await.expect("it runs");
    let before = until_ended(&mut stream, "one").await;
    cluster.stop(first).await;
    let others = cluster.client_of(&others);
    others
        .submit(r#"{"id": "two", "nodes": {"a": {"tool": "echo"}}}"#, "application/json")
        .await
        .expect("two are a majority");
    others.cancel("two").await.expect("it runs");
    let after = until_ended(&mut stream, "two").await;
    let last = before.last().expect("there were some").index;
    assert!(after.iter().all(|event| event.index > last));
    assert_eq!(after[0].document["state"], "running");
}

#[tokio::test]
async fn a_stream_with_nothing_to_tell_says_where_it_is_whatever_others_do() {
    let cluster = Cluster::of(1, &[]).await;
    let start = cluster.client().cluster().await.expect("it answers").applied_index;
    let mut stream = cluster.client().events(Some(start), Some("quiet"));
    let moves = async {
        for number in 0.. {
            cluster.submit(&format!("other-{number}")).await;
        }
    };
    let listens = async {
        while stream.position() <= Some(start) {
            let told = timeout(Duration::from_millis(100), stream.next()).await;
            assert!(told.is_err(), "there is nothing to tell: {told:?}");
        }
    };
    tokio::select! {
        () = moves => {}
        listened = timeout(PATIENCE, listens) => listened.expect("it says where it is"),
    }
}

#[tokio::test]
async fn a_queen_that_lost_the_others_ends_its_streams_and_begins_none() {
    let mut cluster = Cluster::of(3, &[]).await;
    let (leader, followers) = (cluster.leader().await, cluster.followers().await);
    let start = cluster.client().cluster().await.expect("it answers").applied_index;
    let mut stream = cluster.client_within(&followers[..1], Duration::from_secs(2)).events(Some(start), None);
    assert!(timeout(Duration::from_millis(100), stream.next()).await.is_err(), "nothing happens");
    cluster.stop(followers[1]).await;
    cluster.stop(leader).await;
    let ended = async {
        loop {
            if let Err(error) = stream.next().await {
                return error;
            }
        }
    };
    let error = timeout(PATIENCE, ended).await.expect("the stream ends");
    assert!(matches!(&error, ClientError::Refused(problem) if problem.kind() == "not-ready"), "{error}");
}
