//! References to what is not there, or to more than there may be: the node fails or is skipped, and says why.

use std::sync::Arc;
use std::time::Duration;

use antfarm_testkit::Cluster;
use serde_json::json;

use crate::given::{Shared, ended, patient, unharmed};

/// A graph of few nodes ends within this time.
const WITHIN: Duration = Duration::from_mins(1);

fn cluster() -> Arc<Cluster> {
    static SHARED: Shared = Shared::new();
    SHARED.cluster(|| patient().script("deep", DEEP).start())
}

/// Prints lists in lists, 10,000 deep.
const DEEP: &str = "head -c 10000 /dev/zero | tr '\\0' '['; head -c 10000 /dev/zero | tr '\\0' ']'";

#[test]
fn a_reference_to_a_missing_pointer_fails_the_node_and_names_both() {
    let cluster = cluster();
    for (number, pointer) in ["/rows/7", "/rows/-", "/rows/01", "/row", "/rows/0/x", "/"].into_iter().enumerate() {
        let graph = format!("missing-{number}");
        unharmed(&cluster, || {
            cluster.submit(&json!({"id": graph, "on_failure": "continue", "nodes": {
                "fetch": {"tool": "echo", "args": {"rows": [1, 2]}},
                "use": {"tool": "echo", "args": {"$ref": format!("fetch#{pointer}")}},
                "other": {"tool": "noop", "after": ["fetch"]},
                "next": {"tool": "noop", "after": ["use"]},
            }}));
            let node = ended(&cluster, &graph, "use");
            assert_eq!(node["state"], "failed", "{node}");
            let reason = node["reason"].as_str().unwrap_or_default();
            assert!(reason.contains(&format!("the result of fetch has nothing at {pointer}")), "{node}");
            assert_eq!(ended(&cluster, &graph, "other")["state"], "succeeded");
            assert_eq!(ended(&cluster, &graph, "next")["state"], "skipped");
        });
    }
    let shown = cluster.antfarm(&["node", "explain", "missing-0/use"]).exits(0);
    assert!(shown.stdout.contains("has nothing at /rows/7"), "{}", shown.stdout);
}

#[test]
fn a_reference_to_a_failed_node_is_never_run() {
    let cluster = cluster();
    for on_failure in ["continue", "fail_graph"] {
        let graph = format!("failed-{on_failure}");
        unharmed(&cluster, || {
            cluster.submit(&json!({"id": graph, "on_failure": on_failure, "defaults": {"retries": 0}, "nodes": {
                "bad": {"tool": "fail", "args": {"message": "the dog ate it"}},
                "use": {"tool": "echo", "args": {"$ref": "bad#/rows"}},
            }}));
            assert_eq!(ended(&cluster, &graph, "use")["state"], "skipped");
            let waited = cluster.command(&["graph", "wait", &graph]).within(WITHIN).run().exits(1);
            assert!(waited.stdout.contains("failed"), "{}", waited.stdout);
            let explained = cluster.antfarm(&["node", "explain", &format!("{graph}/bad")]).exits(0);
            assert!(explained.stdout.contains("the dog ate it"), "{}", explained.stdout);
        });
    }
}

#[test]
fn references_that_would_swell_the_arguments_fail_the_node() {
    let cluster = cluster();
    let many: Vec<_> = (0..1_000).map(|_| json!({"$ref": "large"})).collect();
    unharmed(&cluster, || {
        cluster.submit(&json!({"id": "swollen", "on_failure": "continue", "nodes": {
            "large": {"tool": "echo", "args": "x".repeat(60_000)},
            "bomb": {"tool": "echo", "args": many},
        }}));
        let node = ended(&cluster, "swollen", "bomb");
        assert_eq!(node["state"], "failed", "{node}");
        let reason = node["reason"].as_str().unwrap_or_default();
        assert!(reason.contains("the arguments have more than"), "{node}");
    });
}

#[test]
fn a_result_of_10_000_levels_is_passed_on_as_it_is() {
    let cluster = cluster();
    let manifest = r#"{"cost_class": "cpu", "effects": "pure"}"#;
    cluster.leader().http().put("/v1/tools/deep", manifest).and_then(|answer| answer.ok()).expect("it is taken");
    let lists = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    unharmed(&cluster, || {
        cluster.submit(&json!({"id": "deep", "nodes": {
            "make": {"tool": "deep"},
            "pass": {"tool": "echo", "args": {"of": {"$ref": "make#/0/0"}}},
        }}));
        let _ = cluster.wait_for_success("deep", WITHIN);
        let result =
            |node: &str| cluster.get(&format!("/v1/graphs/deep/nodes/{node}/result")).expect("it has one").body;
        assert_eq!(result("make"), lists);
        assert_eq!(result("pass"), format!("{{\"of\":{}}}", &lists[2..lists.len() - 2]));
        let shown = cluster.antfarm(&["graph", "results", "deep", "--json"]).exits(0);
        assert!(shown.stdout.contains(&lists), "the results are shown");
    });
}
