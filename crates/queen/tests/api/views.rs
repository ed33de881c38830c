//! The client's types have every field that queens answer with, and no other.

use antfarm_client::views::{
    AttemptPage, ClusterView, ExplanationView, ForagerPage, GraphPage, GraphView, JsonText, NodePage, NodeView,
    ToolPage,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::cluster::{Cluster, read};

async fn check<T: Serialize + DeserializeOwned>(cluster: &Cluster, path: &str) {
    let answer: Value = read(&cluster.client(), path).await.expect(path).json().expect("it is JSON");
    let typed: T = serde_json::from_value(answer.clone()).expect(path);
    assert_eq!(serde_json::to_value(typed).expect("it can be written"), answer, "{path}");
}

#[tokio::test]
async fn the_views_of_the_client_are_those_of_the_queens() {
    let cluster = Cluster::of(1, &[]).await;
    let graph = r#"{"id": "g", "nodes": {"a": {"tool": "echo", "args": {"x": 1}}, "fan": {"tool": "echo", "array": {"count": 2}}}}"#;
    cluster.client().submit(graph, "application/json").await.expect("it is valid");
    check::<GraphView>(&cluster, "/v1/graphs/g").await;
    check::<GraphPage>(&cluster, "/v1/graphs").await;
    check::<NodePage>(&cluster, "/v1/graphs/g/nodes").await;
    check::<ExplanationView>(&cluster, "/v1/graphs/g/nodes/a/explain").await;
    check::<AttemptPage>(&cluster, "/v1/graphs/g/nodes/a/attempts").await;
    check::<ForagerPage>(&cluster, "/v1/foragers").await;
    check::<ToolPage>(&cluster, "/v1/tools").await;
    check::<ClusterView>(&cluster, "/v1/cluster").await;
    let node: Value = read(&cluster.client(), "/v1/graphs/g/nodes/a").await.expect("it is there").json().expect("JSON");
    let typed: NodeView = serde_json::from_value(node).expect("it is one");
    assert_eq!(typed.args.as_ref().map(JsonText::as_str), Some(r#"{"x":1}"#));
}
