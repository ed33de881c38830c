//! Specs of the conversion, on a small document of our own and on a collection where there is one.

use std::path::Path;

use antfarm_model::document;
use antfarm_model::{Graph, Limits};
use expect_test::expect;
use serde_json::json;

use super::*;

fn conversion() -> Conversion {
    Conversion {
        id: None,
        time_scale: Conversion::DEFAULT_TIME_SCALE,
        tool: Name::new("sleep").expect("a valid name"),
        args: Map::new(),
    }
}

fn workflow(tasks: &Value, runtimes: &Value) -> Vec<u8> {
    let workflow = json!({"specification": {"tasks": tasks}, "execution": {"tasks": runtimes}});
    json!({"name": "bake a cake", "schemaVersion": "1.5", "workflow": workflow}).to_string().into_bytes()
}

fn cake() -> Vec<u8> {
    let tasks = json!([
        {"id": "mix", "name": "mix", "parents": [], "children": ["bake/1", "bake 1"], "inputFiles": []},
        {"id": "bake/1", "parents": ["mix"], "children": ["eat"]},
        {"id": "bake 1", "parents": ["mix"], "children": ["eat"]},
        {"id": "eat", "parents": ["bake/1", "bake 1"], "children": []},
    ]);
    let runtimes = json!([
        {"id": "eat", "runtimeInSeconds": 61.4996}, {"id": "mix", "runtimeInSeconds": 0.4},
        {"id": "bake/1", "runtimeInSeconds": 2400}, {"id": "bake 1", "runtimeInSeconds": 2400.5},
    ]);
    workflow(&tasks, &runtimes)
}

fn compiled(json: &str) -> Graph {
    let limits = Limits { graph_bytes: 256 << 20, ..Limits::default() };
    document::graph(json.as_bytes(), &limits).unwrap_or_else(|faults| panic!("{faults:?}\n{json}"))
}

fn edges(graph: &Graph) -> usize {
    graph.nodes.iter().map(|node| node.after.len()).sum()
}

#[test]
fn tasks_become_nodes_and_parents_become_after() {
    let json = conversion().convert(&cake()).expect("a sound document");
    let expected = expect![[
        r#"{"id":"bake_a_cake","nodes":{"mix":{"tool":"sleep","args":{"ms":0}},"bake_1":{"tool":"sleep","args":{"ms":2400},"after":["mix"]},"bake_1-2":{"tool":"sleep","args":{"ms":2401},"after":["mix"]},"eat":{"tool":"sleep","args":{"ms":61},"after":["bake_1","bake_1-2"]}}}"#
    ]];
    expected.assert_eq(&json);
    let graph = compiled(&json);
    assert_eq!((graph.nodes.len(), edges(&graph)), (4, 4));
}

#[test]
fn the_tool_and_its_arguments_can_be_another() {
    let args = json!({"path": "/tmp/ledger"}).as_object().expect("an object").clone();
    let append = Conversion { tool: Name::new("append").expect("a valid name"), args, ..conversion() };
    let json = append.convert(&cake()).expect("a sound document");
    let mix = expect![[r#""mix":{"tool":"append","args":{"ms":0,"path":"/tmp/ledger"}}"#]];
    mix.assert_eq(&json[json.find("\"mix\"").expect("a node")..=json.find("}}").expect("its end") + 1]);
}

#[test]
fn a_long_node_is_not_cut_off_by_its_tool() {
    let json = Conversion { time_scale: 1.0, ..conversion() }.convert(&cake()).expect("a sound document");
    assert!(json.contains(r#""args":{"ms":2400000},"after":["mix"],"timeout":"4800000ms""#), "{json}");
    assert_eq!(compiled(&json).nodes[0].timeout, None);
}

#[test]
fn everything_wrong_is_told_at_once() {
    let tasks = json!([
        {"id": "a", "parents": ["z"], "children": ["b"]},
        {"id": "b", "parents": [], "children": ["y"]},
        {"id": "b", "parents": []},
    ]);
    let faults = conversion().convert(&workflow(&tasks, &json!([]))).expect_err("not sound");
    let expected = expect![[r"
        task b: another task has this id
        task a: its parent z is no task of this workflow
        task a: its child b does not name it as a parent
        task b: its child y is no task of this workflow"]];
    expected.assert_eq(&faults.join("\n"));
}

#[test]
fn a_task_without_a_time_needs_none_at_scale_zero() {
    let document = workflow(&json!([{"id": "a"}, {"id": "b"}]), &json!([{"id": "a", "runtimeInSeconds": -1}]));
    let faults = conversion().convert(&document).expect_err("no times");
    let expected = expect![[r"
        task a: runtimeInSeconds -1 × 0.001 is no time that a node can take
        task b: no runtimeInSeconds is recorded; --time-scale 0 runs it without"]];
    expected.assert_eq(&faults.join("\n"));
    let json = Conversion { time_scale: 0.0, ..conversion() }.convert(&document).expect("no times are needed");
    assert_eq!(compiled(&json).nodes.len(), 2);
}

#[test]
fn names_are_valid_and_each_once() {
    let long = "x".repeat(200);
    let ids = ["a b", "a_b", "a/b", "-c", "", long.as_str(), "ü", "a b "];
    let names = names::of(ids.into_iter());
    let text: Vec<&str> = ids.iter().map(|id| &*names[id]).collect();
    assert_eq!(text[..5], ["a_b-2", "a_b", "a_b-3", "t-c", "t"]);
    assert_eq!(text[5], "x".repeat(128));
    assert_eq!(text[6..], ["t_", "a_b_"]);
    assert!(text.iter().all(|name| Name::new(name).is_ok()));
}

#[test]
fn the_format_is_known_by_its_content() {
    assert!(is_wfformat(&cake()));
    assert!(!is_wfformat(br#"{"id": "a", "nodes": {"workflow": {"tool": "noop"}}}"#));
    assert!(!is_wfformat(b"id: a\nnodes: {b: {tool: noop}}"));
    assert!(!is_wfformat(b""));
}

/// The collection lies beside a checkout, or it does not; it is no part of the project.
#[test]
fn every_workflow_of_the_collection_keeps_its_shape() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/workflows");
    let Ok(files) = std::fs::read_dir(&folder) else {
        eprintln!("passed over: there is no collection at {}", folder.display());
        return;
    };
    let mut converted = 0;
    for file in files.map(|file| file.expect("a folder that can be read").path()) {
        if file.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let bytes = std::fs::read(&file).expect("a file that can be read");
        assert!(is_wfformat(&bytes), "{}", file.display());
        let json = conversion().convert(&bytes).unwrap_or_else(|faults| panic!("{}: {faults:?}", file.display()));
        let graph = compiled(&json);
        let document: Value = serde_json::from_slice(&bytes).expect("JSON");
        let tasks = document["workflow"]["specification"]["tasks"].as_array().expect("a list of tasks");
        let parents = tasks.iter().map(|task| task["parents"].as_array().map_or(0, Vec::len)).sum::<usize>();
        assert_eq!((graph.nodes.len(), edges(&graph)), (tasks.len(), parents), "{}", file.display());
        converted += 1;
    }
    assert!(converted > 0, "no workflow in {}", folder.display());
}
