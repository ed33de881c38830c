//! What can be read, page by page, and what is said of what is not there.

use antfarm_client::Page;

use crate::cluster::{Cluster, read, refused};

const GRAPH: &str = r#"{"id": "g", "nodes": {
    "a": {"tool": "echo", "args": {"x": 1}, "timeout": "90s"},
    "fan": {"tool": "echo", "array": {"count": 5}},
    "b": {"tool": "echo", "args": {"x": {"$ref": "a"}}, "after": ["fan"]}}}"#;

async fn cluster_with_graph() -> Cluster {
    let cluster = Cluster::of(1, &[]).await;
    cluster.client().submit(GRAPH, "application/json").await.expect("it is valid");
    cluster
}

#[tokio::test]
async fn graphs_are_listed_page_by_page() {
    let cluster = Cluster::of(1, &[]).await;
    for id in ["one", "two", "three"] {
        cluster.submit(id).await;
    }
    let mut page = Page { limit: Some(2), ..Page::first() };
    let first = cluster.client().graphs(&page).await.expect("it is answered");
    page.after = first.next.clone();
    let second = cluster.client().graphs(&page).await.expect("it is answered");
    let ids: Vec<&str> = first.graphs.iter().chain(&second.graphs).map(|graph| graph.id.as_str()).collect();
    assert_eq!((ids, second.next), (vec!["one", "two", "three"], None));
}

#[tokio::test]
async fn nodes_are_listed_as_wholes_and_by_state_as_instances() {
    let cluster = cluster_with_graph().await;
    let client = cluster.client();
    let wholes = client.nodes("g", &Page::first()).await.expect("it is answered");
    let shown: Vec<(&str, &str)> = wholes.nodes.iter().map(|node| (node.id.as_str(), node.state.as_str())).collect();
    assert_eq!(shown, [("a", "ready"), ("fan", "ready"), ("b", "waiting")]);
    assert_eq!(wholes.nodes[1].instances.map(|counts| (counts.total, counts.ready)), Some((5, 5)));
    let mut page = Page { state: Some("ready".into()), limit: Some(4), ..Page::first() };
    let first = client.nodes("g", &page).await.expect("it is answered");
    page.after = first.next.clone();
    let second = client.nodes("g", &page).await.expect("it is answered");
    let ids: Vec<&str> = first.nodes.iter().chain(&second.nodes).map(|node| node.id.as_str()).collect();
    assert_eq!((ids, second.next), (vec!["a", "fan[0]", "fan[1]", "fan[2]", "fan[3]", "fan[4]"], None));
}

#[tokio::test]
async fn a_node_is_shown_with_what_it_needs() {
    let cluster = cluster_with_graph().await;
    let client = cluster.client();
    let a = client.node("g", "a").await.expect("it is there");
    assert_eq!(
        (a.timeout.as_str(), a.class.as_str(), a.args.expect("a node has arguments").as_str()),
        ("90s", "io", r#"{"x":1}"#)
    );
    let b = client.node("g", "b").await.expect("it is there");
    assert_eq!((b.needs, b.args, b.result), (Some(vec!["a".into(), "fan".into()]), None, None));
    let third = client.node("g", "fan[3]").await.expect("it is there");
    assert_eq!((third.node.as_str(), third.index), ("fan", Some(3)));
}

#[tokio::test]
async fn an_instance_is_explained() {
    let cluster = cluster_with_graph().await;
    let explained = cluster.client().explain("g", "b").await.expect("it is there");
    assert_eq!((explained.reason.as_str(), explained.state.as_str()), ("waits_for", "waiting"));
    let explained = cluster.client().explain("g", "fan").await.expect("it is there");
    assert_eq!((explained.id.as_str(), explained.reason.as_str()), ("fan[0]", "no_forager_with_tool"));
}

#[tokio::test]
async fn what_is_not_there_is_said_so() {
    let cluster = cluster_with_graph().await;
    let client = cluster.client();
    for path in [
        "/v1/graphs/x",
        "/v1/graphs/g/nodes/x",
        "/v1/graphs/g/nodes/fan%5B5%5D",
        "/v1/foragers/x",
        "/v1/tools/x",
        "/v2",
    ] {
        let problem = read(&client, path).await.expect_err(path);
        assert_eq!((problem.status, problem.kind()), (404, "not-found"), "{path}");
        assert!(!problem.detail.is_empty());
    }
    let problem = read(&client, "/v1/graphs/g/nodes/a/result").await.expect_err("it has none");
    assert_eq!(problem.status, 409);
}

#[tokio::test]
async fn what_cannot_be_understood_is_refused() {
    let cluster = cluster_with_graph().await;
    let client = cluster.client();
    for path in [
        "/v1/graphs?limit=0",
        "/v1/graphs?limits=1",
        "/v1/graphs?state=done",
        "/v1/graphs/g?wait=long",
        "/v1/graphs/g/nodes/fan%5B",
        "/v1/graphs/g/nodes/fan/attempts",
        "/v1/graphs?consistency=eventual",
    ] {
        let problem = read(&client, path).await.expect_err(path);
        assert_eq!((problem.status, problem.kind()), (400, "bad-request"), "{path}");
    }
    let problem = refused(client.decide("g", "a", &serde_json::json!({"verdict": "retry", "fence": 1})).await);
    assert_eq!(problem.expect_err("nothing is to be decided").status, 409);
}

#[tokio::test]
async fn every_answer_tells_its_index() {
    let cluster = cluster_with_graph().await;
    let client = cluster.client();
    let mut last = 0;
    for path in
        ["/v1/graphs", "/v1/graphs/g?consistency=stale", "/v1/cluster", "/healthz", "/readyz", "/", "/openapi.json"]
    {
        let index = read(&client, path).await.expect("it is there").index.expect("it has an index");
        assert!(index >= last && index > 0, "{path}");
        last = index;
    }
}

#[tokio::test]
async fn metrics_tell_what_is_ready() {
    let cluster = cluster_with_graph().await;
    let text = read(&cluster.client(), "/metrics").await.expect("it is there").text();
    for line in ["antfarm_is_leader 1\n", "antfarm_ready_nodes{class=\"io\"} 6\n", "antfarm_slots{state=\"free\"} 0\n"]
    {
        assert!(text.contains(line), "{line:?} is not in\n{text}");
    }
}

#[tokio::test]
async fn a_wait_ends_when_the_graph_ends() {
    let cluster = cluster_with_graph().await;
    let client = cluster.client();
    let watch = client.watch_graph("g").await.expect("it is there");
    let (ended, cancelled) = tokio::join!(watch.ended(), client.cancel("g"));
    cancelled.expect("it runs");
    assert_eq!(ended.expect("it ends").state, "cancelled");
}
