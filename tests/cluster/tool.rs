//! Manifests say what a tool costs and what its repetition does; a graph that names a tool without one is refused.

use antfarm_testkit::Cluster;
use serde_json::json;

use crate::given::single;

#[test]
fn a_tool_is_declared_listed_changed_and_withdrawn() {
    let cluster = Cluster::start();
    let manifest = cluster.scratch().write("clean.manifest", "name = \"clean\"\ncost_class = \"model\"\nretries = 5\n");
    let _ = cluster.antfarm(&["tool", "apply", manifest.to_str().expect("UTF-8")]).exits(0);
    let shown = cluster.antfarm(&["tool", "show", "clean", "--json"]).exits(0).json();
    assert_eq!(
        (&shown["cost_class"], &shown["effects"], &shown["retries"]),
        (&json!("model"), &json!("guarded"), &json!(5))
    );
    let listed = cluster.antfarm(&["tool", "list", "--json"]).exits(0).json();
    let names: Vec<&str> =
        listed["tools"].as_array().expect("a list").iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, ["append", "clean", "echo", "fail", "noop", "sleep", "spin"]);

    cluster.submit(&single("uses-it", "clean", &json!({})));
    let refused = cluster.antfarm(&["tool", "delete", "clean"]).exits(4);
    assert!(refused.stderr.contains("uses-it") || refused.stderr.contains("graph"), "{}", refused.stderr);
    let _ = cluster.antfarm(&["graph", "cancel", "uses-it"]).exits(0);
    let _ = cluster.antfarm(&["tool", "delete", "clean"]).exits(4);
    let _ = cluster.antfarm(&["graph", "delete", "uses-it"]).exits(0);
    let _ = cluster.antfarm(&["tool", "delete", "clean"]).exits(0);
    let _ = cluster.antfarm(&["tool", "show", "clean"]).exits(4);
}
