//! What becomes of submitted graphs.

use antfarm_client::ClientError;

use crate::cluster::{Cluster, refused};

const GRAPH: &str =
    r#"{"id": "g", "nodes": {"a": {"tool": "echo"}, "b": {"tool": "echo", "args": {"x": {"$ref": "a"}}}}}"#;

#[tokio::test]
async fn the_same_graph_again_is_the_same_submission() {
    let cluster = Cluster::of(1, &[]).await;
    let client = cluster.client();
    let first = client.submit(GRAPH, "application/json").await.expect("it is valid");
    let again = client.submit(format!("  {GRAPH}"), "application/json").await.expect("it is the same");
    assert!(first.new && !again.new);
    assert_eq!((first.graph.nodes.total, first.graph.state.as_str()), (2, "running"));
    assert_eq!(first.graph.digest, again.graph.digest);
}

#[tokio::test]
async fn another_graph_under_the_same_id_is_a_conflict() {
    let cluster = Cluster::of(1, &[]).await;
    cluster.submit("g").await;
    let problem = refused(cluster.client().submit(GRAPH, "application/json").await).expect_err("it is another");
    assert_eq!((problem.status, problem.kind()), (409, "conflict"));
}

#[tokio::test]
async fn all_faults_are_told_with_their_places() {
    let cluster = Cluster::of(1, &[]).await;
    let yaml = "id: g\nnodes:\n  a: {tool: ecko}\n  b: {tool: echo, after: [nobody]}\n";
    let problem = refused(cluster.client().submit(yaml, "application/yaml").await).expect_err("it has faults");
    assert_eq!(problem.status, 422);
    let places: Vec<(&str, Option<u32>)> =
        problem.faults.iter().map(|fault| (fault.path.as_str(), fault.line)).collect();
    assert_eq!(places, [("nodes.a.tool", Some(3)), ("nodes.b.after[0]", Some(4))]);
}

#[tokio::test]
async fn lines_are_a_graph_too() {
    let cluster = Cluster::of(1, &[]).await;
    let lines = "{\"id\": \"lines\"}\n{\"id\": \"a\", \"tool\": \"echo\"}\n{\"id\": \"b\", \"tool\": \"echo\", \"after\": [\"a\"]}\n";
    let submitted = cluster.client().submit(lines, "application/x-ndjson").await.expect("it is valid");
    assert_eq!(submitted.graph.nodes.total, 2);
}

#[tokio::test]
async fn a_graph_larger_than_an_entry_appears_whole() {
    let cluster = Cluster::of(1, &[("limits.entry_bytes", "64KiB"), ("limits.result_bytes", "1KiB")]).await;
    let nodes: Vec<String> =
        (0..5_000).map(|n| format!("\"node-{n}\": {{\"tool\": \"echo\", \"args\": \"{}\"}}", "x".repeat(50))).collect();
    let document = format!("{{\"id\": \"large\", \"nodes\": {{{}}}}}", nodes.join(","));
    let submitted = cluster.client().submit(document.clone(), "application/json").await.expect("it is valid");
    assert!(submitted.new);
    assert_eq!(submitted.graph.nodes.total, 5_000);
    assert!(!cluster.client().submit(document, "application/json").await.expect("it is the same").new);
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused() {
    let cluster = Cluster::of(1, &[("limits.graph_bytes", "1KiB")]).await;
    let document =
        format!("{{\"id\": \"g\", \"nodes\": {{\"a\": {{\"tool\": \"echo\", \"args\": \"{}\"}}}}}}", "x".repeat(1_024));
    let problem = refused(cluster.client().submit(document, "application/json").await).expect_err("it is too large");
    assert_eq!((problem.status, problem.kind()), (413, "too-large"));
}

#[tokio::test]
async fn a_graph_is_paused_resumed_cancelled_and_removed() {
    let cluster = Cluster::of(1, &[]).await;
    let client = cluster.client();
    cluster.submit("g").await;
    assert_eq!(client.pause("g").await.expect("it runs").state, "paused");
    assert_eq!(client.resume("g").await.expect("it is paused").state, "running");
    let problem = refused(client.delete_graph("g").await).expect_err("it runs");
    assert_eq!(problem.status, 409);
    let cancelled = client.cancel("g").await.expect("it runs");
    assert_eq!((cancelled.state.as_str(), cancelled.nodes.cancelled), ("cancelled", 1));
    client.delete_graph("g").await.expect("it has ended");
    assert!(client.graph("g").await.is_err_and(|error| error.is_not_found()));
    let problem = refused(client.submit(GRAPH, "application/json").await).expect_err("the id is taken");
    assert_eq!(problem.status, 409);
    assert_eq!(ClientError::Refused(problem).exit_code(), 4);
}
