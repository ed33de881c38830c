//! Nothing waits without a reason that is told.

use antfarm_testkit::{Cluster, wait_until};
use anyhow::ensure;
use serde_json::json;

use crate::given::{GRAPH_WITHIN, SOON, array};

/// The explanation of a node, once it has this reason.
fn explained(cluster: &Cluster, node: &str, reason: &str) -> String {
    wait_until(&format!("{node} to be explained as {reason}"), SOON, || {
        let explained = cluster.antfarm(&["node", "explain", node, "--json"]).exits(0).json();
        ensure!(explained["reason"] == reason, "{explained}");
        Ok(explained["explanation"].to_string())
    })
}

#[test]
fn a_node_says_what_it_waits_for() {
    let cluster = Cluster::spec().foragers(1).slots(1).script("rare", "echo 1").start();
    let http = cluster.leader().http();
    let manifest = r#"{"cost_class": "model", "effects": "pure"}"#;
    // Of another class than `sleep`, whose queue they would stand in otherwise.
    for tool in ["rare", "nowhere"] {
        http.put(&format!("/v1/tools/{tool}"), manifest).and_then(|answer| answer.ok()).expect("it is taken");
    }
    cluster.submit(&json!({"id": "waiting", "nodes": {
        "long": {"tool": "sleep", "args": {"ms": 60_000}},
        "next": {"tool": "noop", "after": ["long"]},
        "later": {"tool": "noop", "not_before": "2999-01-01T00:00:00Z"},
        "lonely": {"tool": "nowhere"},
        "pinned": {"tool": "rare", "pin": "forager-9"},
    }}));
    explained(&cluster, "waiting/long", "runs");
    assert!(explained(&cluster, "waiting/next", "waits_for").contains("long"));
    explained(&cluster, "waiting/later", "not_before");
    assert!(explained(&cluster, "waiting/lonely", "no_forager_with_tool").contains("nowhere"));
    assert!(explained(&cluster, "waiting/pinned", "pin_not_met").contains("forager-9"));
    cluster.submit(&array("crowd", "sleep", 3, &json!({"ms": 0})));
    explained(&cluster, "crowd/each", "no_free_slot");
}

#[test]
fn a_graph_waits_visibly_until_the_first_forager_comes() {
    let cluster = Cluster::spec().foragers(1).start();
    cluster.forager(1).stop();
    cluster.submit(&array("patient", "noop", 10, &json!({})));
    explained(&cluster, "patient/each", "no_forager_with_tool");
    cluster.forager(1).start();
    cluster.wait_for_success("patient", GRAPH_WITHIN);
}
