//! What cannot run before its deadline expires once, and nothing is sent for its sake.

use std::time::{SystemTime, UNIX_EPOCH};

use antfarm_client::Page;
use antfarm_model::WallTime;

use crate::cluster::{Cluster, read};

const NODES: usize = 10_000;

/// A moment so many milliseconds from now.
fn soon(millis: u64) -> WallTime {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is later than 1970").as_millis();
    WallTime(u64::try_from(now).expect("it is earlier than the year 500,000,000") + millis)
}

#[tokio::test]
async fn ten_thousand_nodes_expire_once_each_by_the_clock_of_the_cluster() {
    let cluster = Cluster::of(1, &[]).await;
    let client = cluster.client();
    let deadline = soon(3_000);
    let node = |number: usize| format!("\"n{number}\": {{\"tool\": \"echo\", \"deadline\": \"{deadline}\"}}");
    let nodes = (0..NODES).map(node).collect::<Vec<_>>().join(",");
    let document = format!(
        "{{\"id\": \"g\", \"on_deadline\": \"skip_successors\", \"nodes\": {{{nodes}, \"after\": {{\"tool\": \"echo\", \"after\": [\"n7\"]}}}}}}"
    );
    client.submit(document, "application/json").await.expect("it is valid");
    let ended = client.watch_graph("g").await.expect("it is there").ended().await.expect("it ends");
    assert!(soon(0) >= deadline, "nothing expires before its time");
    assert_eq!((ended.state.as_str(), ended.nodes.expired as usize, ended.nodes.skipped), ("expired", NODES, 1));
    let metrics = read(&client, "/metrics").await.expect("it is there").text();
    let line = format!("antfarm_results_total{{outcome=\"expired\"}} {NODES}\n");
    assert!(metrics.contains(&line), "each expires once: {metrics}");
    for nothing in ["antfarm_assignments_total{", "antfarm_rejects_total{"] {
        assert!(!metrics.contains(nothing), "nothing is sent, and nothing rejected: {metrics}");
    }
    let page = Page { state: Some("expired".into()), limit: Some(1), ..Page::first() };
    let first = client.nodes("g", &page).await.expect("it is answered");
    let explained = client.explain("g", &first.nodes[0].id).await.expect("it is there");
    assert_eq!((explained.reason.as_str(), explained.deadline), ("expired", None));
    let skipped = client.explain("g", "after").await.expect("it is there");
    assert_eq!((skipped.reason.as_str(), skipped.explanation.as_str()), ("skipped", "n7 expired, and this needs it"));
}

#[tokio::test]
async fn a_graph_that_cannot_keep_its_deadline_by_its_own_time_outs_is_told_so_and_taken() {
    let cluster = Cluster::of(1, &[]).await;
    let deadline = soon(3_600_000);
    let document = format!(
        "{{\"id\": \"g\", \"nodes\": {{\"a\": {{\"tool\": \"echo\", \"timeout\": \"50m\"}}, \"b\": {{\"tool\": \"echo\", \"timeout\": \"20m\", \"after\": [\"a\"], \"deadline\": \"{deadline}\"}}}}}}"
    );
    let submitted = cluster.client().submit(document, "application/json").await.expect("a warning is no fault");
    let [warning] = submitted.graph.warnings.as_slice() else { panic!("{:?}", submitted.graph.warnings) };
    assert_eq!(warning.path, "nodes.b.deadline");
    let again = cluster.client().graph("g").await.expect("it is there");
    assert_eq!(again.warnings, [], "only the answer to the submission has them");
}
