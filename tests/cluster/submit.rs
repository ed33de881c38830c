//! A graph is named by its id: the same again is the same graph, another under that id is a conflict.

use antfarm_testkit::Cluster;
use serde_json::json;

use crate::given::single;

#[test]
fn a_graph_that_is_submitted_twice_is_there_once() {
    let cluster = Cluster::start();
    let graph = single("twice", "echo", &json!({"word": "ants"})).to_string();
    let statuses: Vec<u16> = cluster
        .queens()
        .iter()
        .map(|queen| queen.http().post("/v1/graphs", &graph).expect("it answers").status)
        .collect();
    assert_eq!(statuses, [201, 200, 200]);
    let file = cluster.scratch().write("twice.json", &graph);
    let again = cluster.antfarm(&["submit", "--wait", "--json", file.to_str().expect("UTF-8")]).exits(0);
    assert_eq!(again.json()["submitted"][0]["new"], false);
    let listed = cluster.antfarm(&["graph", "list", "--json"]).exits(0).json();
    assert_eq!(listed["graphs"].as_array().map(Vec::len), Some(1), "{listed}");
    let results = cluster.antfarm(&["graph", "results", "twice", "--json"]).exits(0);
    assert!(results.stdout.contains("ants"), "{}", results.stdout);
}

#[test]
fn another_graph_under_a_taken_id_is_refused() {
    let cluster = Cluster::start();
    cluster.submit(&single("taken", "echo", &json!(1)));
    let other = single("taken", "echo", &json!(2)).to_string();
    let answer = cluster.leader().http().post("/v1/graphs", &other).expect("it answers");
    assert_eq!((answer.status, answer.problem().as_deref()), (409, Some("conflict")), "{}", answer.body);
    let file = cluster.scratch().write("other.json", &other);
    let refused = cluster.antfarm(&["submit", file.to_str().expect("UTF-8")]).exits(4);
    assert!(refused.stderr.contains("taken"), "{}", refused.stderr);
}

#[test]
fn a_graph_with_faults_is_refused_with_all_of_them() {
    let cluster = Cluster::start();
    let graph = json!({"id": "faulty", "nodes": {
        "a": {"tool": "no-such-tool"},
        "b": {"tool": "noop", "after": ["nobody"]},
    }});
    let answer = cluster.leader().http().post("/v1/graphs", &graph.to_string()).expect("it answers");
    assert_eq!((answer.status, answer.problem().as_deref()), (422, Some("invalid")), "{}", answer.body);
    let document = answer.json().expect("a problem document");
    let paths: Vec<&str> =
        document["faults"].as_array().expect("a list").iter().filter_map(|fault| fault["path"].as_str()).collect();
    assert_eq!(paths, ["nodes.a.tool", "nodes.b.after[0]"]);
}

#[test]
fn results_travel_along_references() {
    let cluster = Cluster::start();
    let graph = json!({"id": "joined", "nodes": {
        "one": {"tool": "echo", "args": {"rows": ["first", "second"]}},
        "fan": {"tool": "echo", "array": {"count": 3}, "args": {"row": {"$ref": "one#/rows/1"}}},
        "all": {"tool": "echo", "args": {"fan": {"$ref": "fan"}, "single": {"$ref": "fan[2]"}}},
    }});
    let file = cluster.scratch().write("joined.json", &graph.to_string());
    let _ = cluster.antfarm(&["submit", "--wait", file.to_str().expect("UTF-8")]).exits(0);
    let result =
        cluster.get("/v1/graphs/joined/nodes/all/result").and_then(|answer| answer.ok()).expect("it succeeded");
    let row = json!({"row": "second"});
    assert_eq!(result, json!({"fan": [row, row, row], "single": row}));
}

#[test]
fn a_failed_graph_is_an_exit_status_and_a_reason() {
    let cluster = Cluster::start();
    let graph = json!({"id": "failing", "defaults": {"retries": 0}, "nodes": {
        "bad": {"tool": "fail", "args": {"message": "the dog ate it"}},
        "after": {"tool": "noop", "after": ["bad"]},
    }});
    let file = cluster.scratch().write("failing.json", &graph.to_string());
    let submitted = cluster.antfarm(&["submit", "--wait", file.to_str().expect("UTF-8")]).exits(1);
    assert!(submitted.stdout.contains("the dog ate it"), "{}\n{}", submitted.stdout, submitted.stderr);
    let view = cluster.graph("failing").expect("it is there");
    assert_eq!(
        (view["state"].as_str(), view["nodes"]["failed"].as_u64(), view["nodes"]["total"].as_u64()),
        (Some("failed"), Some(1), Some(2))
    );
}
