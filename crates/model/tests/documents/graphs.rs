//! Graphs that are accepted, and what they become.

use antfarm_model::document::{graph_with_id, parse};
use antfarm_model::{Dependency, Graph, Limits, Name, NodeNo, OnDeadline, OnFailure, Span, WallTime, document};
use expect_test::expect;

use super::accept;

const EXAMPLE: &str = r#"
id: nightly-2026-11-30          # also the idempotency key
on_failure: fail_graph          # or: continue (only successors are skipped)
on_deadline: fail_graph         # or: skip_successors, continue
defaults: {timeout: 10m, retries: 2}
nodes:
  fetch: {tool: http-get, args: {url: "https://example.org/a.csv"}}
  clean: {tool: clean, args: {rows: {$ref: fetch}}, deadline: 2026-12-01T06:00:00Z}
  score: {tool: score-model, args: {row: {$ref: "clean#/rows/0"}}, pin: forager-2, timeout: 2m, retries: 3}
  fan:   {tool: resize, array: {count: 1000}, after: [clean]}
"#;

const SAME_AS_JSON: &str = r#"{
  "nodes": [
    {"id": "fetch", "tool": "http-get", "args": {"url": "https:\/\/example.org/a.csv"}, "timeout": "600s", "retries": 2},
    {"tool": "clean", "id": "clean", "args": {"rows": {"$ref": "fetch"}}, "deadline": "2026-12-01T07:00:00+01:00", "timeout": "10m", "retries": 2},
    {"id": "score", "tool": "score-model", "args": {"row": {"$ref": "clean#/rows/0"}}, "pin": "forager-2", "timeout": "2m", "retries": 3},
    {"id": "fan", "tool": "resize", "array": {"count": 1000}, "after": ["clean", "clean"], "timeout": "10m", "retries": 2}
  ],
  "id": "nightly-2026-11-30"
}"#;

fn only(node: u32) -> Dependency {
    Dependency { node: NodeNo(node), index: None }
}

#[test]
fn the_example_is_compiled() {
    let graph = accept(EXAMPLE);
    assert_eq!((graph.on_failure, graph.on_deadline), (OnFailure::FailGraph, OnDeadline::FailGraph));
    let [fetch, clean, score, fan] = &graph.nodes[..] else { panic!("four nodes") };
    assert_eq!(&*fetch.args.json, r#"{"url":"https://example.org/a.csv"}"#);
    assert_eq!((fetch.timeout, fetch.retries), (Some(Span::from_secs(600)), Some(2)));
    assert_eq!(&*clean.args.json, r#"{"rows":null}"#);
    assert_eq!((clean.args.references[0].at, clean.args.references[0].of), (8, only(0)));
    assert_eq!(clean.deadline, Some(WallTime(1_796_104_800_000)));
    assert_eq!(score.args.references[0].pointer.as_deref(), Some("/rows/0"));
    assert_eq!((score.timeout, score.retries), (Some(Span::from_secs(120)), Some(3)));
    assert_eq!(score.pin.as_ref().map(Name::as_str), Some("forager-2"));
    assert_eq!((fan.instances(), &*fan.args.json, &fan.after[..]), (1000, "{}", &[only(1)][..]));
}

#[test]
fn yaml_and_json_of_the_same_graph_are_equal() {
    let (yaml, json) = (accept(EXAMPLE), accept(SAME_AS_JSON));
    assert_eq!(yaml, json);
    assert_eq!(yaml.digest(), json.digest());
}

#[test]
fn a_graph_survives_being_written() {
    let graph = accept(EXAMPLE);
    assert_eq!(accept(&graph.to_json()), graph);
}

#[test]
fn the_digest_is_fixed() {
    let hex: Vec<String> = accept(EXAMPLE).digest().iter().map(|byte| format!("{byte:02x}")).collect();
    expect!["86d14c36bc4bb70c7a3a1c10beb5f42a5f10b0ae50ddac65d8ee18490d2613c0"].assert_eq(&hex.concat());
}

#[test]
fn the_digest_sees_every_difference() {
    let base = "id: g\nnodes: {a: {tool: t}, b: {tool: t, args: {x: {$ref: a}}}}\n";
    let changes = [
        ("id: g", "id: h"),
        ("id: g", "id: g\non_failure: continue"),
        ("id: g", "id: g\non_deadline: continue"),
        ("id: g", "id: g\non_deadline: skip_successors"),
        ("a: {tool: t}", "a: {tool: u}"),
        ("a: {tool: t}", "a: {tool: t, args: []}"),
        ("a: {tool: t}", "a: {tool: t, retries: 0}"),
        ("a: {tool: t}", "a: {tool: t, timeout: 1s}"),
        ("a: {tool: t}", "a: {tool: t, pin: f}"),
        ("a: {tool: t}", "a: {tool: t, array: {count: 1}}"),
        ("a: {tool: t}", "a: {tool: t, deadline: 2026-12-01T06:00:00Z}"),
        ("a: {tool: t}", "a: {tool: t, not_before: 2026-12-01T06:00:00Z}"),
        ("{$ref: a}", "null"),
        ("{$ref: a}", "{$ref: a#/x}"),
        ("args: {x: {$ref: a}}", "after: [a]"),
        ("args: {x:", "args: {y:"),
    ];
    let mut digests: Vec<_> = changes.iter().map(|(from, to)| accept(&base.replacen(from, to, 1)).digest()).collect();
    digests.push(accept(base).digest());
    digests.sort_unstable();
    digests.dedup();
    assert_eq!(digests.len(), changes.len() + 1);
}

#[test]
fn references_stand_in_order_at_their_places() {
    let graph = accept(
        r#"{"id": "g", "nodes": {
            "b": {"tool": "t", "args": ["null", {"$ref": "a"}, null, {"k\n": {"$ref": "fan[2]#/x~1y"}, "é": [{"$ref": "fan"}]}]},
            "whole": {"tool": "t", "args": {"$ref": "a#"}},
            "a": {"tool": "t"},
            "fan": {"tool": "t", "array": {"count": 3}}
        }}"#,
    );
    let args = &graph.nodes[0].args;
    assert_eq!(&*args.json, "[\"null\",null,null,{\"k\\n\":null,\"é\":[null]}]");
    let places: Vec<&str> = args.references.iter().map(|reference| &args.json[..reference.at as usize]).collect();
    assert_eq!(places, ["[\"null\",", "[\"null\",null,null,{\"k\\n\":", "[\"null\",null,null,{\"k\\n\":null,\"é\":["]);
    let names: Vec<String> =
        args.references.iter().map(|reference| graph.instance_name(reference.of).to_string()).collect();
    assert_eq!(names, ["a", "fan[2]", "fan"]);
    assert_eq!(args.references[1].pointer.as_deref(), Some("/x~1y"));
    let whole = &graph.nodes[1].args;
    assert_eq!((&*whole.json, whole.references[0].at, whole.references[0].pointer.as_deref()), ("null", 0, None));
}

#[test]
fn after_says_nothing_twice() {
    let graph = accept(
        "id: g
nodes:
  a: {tool: t}
  fan: {tool: t, array: {count: 9}}
  by_index: {tool: t, after: ['fan[3]', a, 'fan[1]', 'fan[3]']}
  covered: {tool: t, after: ['fan[3]', fan, 'fan[1]']}
  referred: {tool: t, args: {x: {$ref: fan}, y: {$ref: a#/z}}, after: ['fan[3]', fan, a]}
  in_part: {tool: t, args: {x: {$ref: 'fan[1]'}}, after: ['fan[1]', 'fan[2]']}
",
    );
    let after = |node: usize| -> Vec<String> {
        graph.nodes[node].after.iter().map(|dependency| graph.instance_name(*dependency).to_string()).collect()
    };
    assert_eq!(after(2), ["a", "fan[1]", "fan[3]"]);
    assert_eq!(after(3), ["fan"]);
    assert_eq!(after(4), [""; 0]);
    assert_eq!(after(5), ["fan[2]"]);
}

#[test]
fn numbers_in_arguments_keep_their_digits() {
    let graph = accept("id: g\nnodes: {a: {tool: t, args: [9007199254740993, 0.10, 1e999, -0]}}\n");
    assert_eq!(&*graph.nodes[0].args.json, "[9007199254740993,0.10,1e999,-0]");
}

#[test]
fn an_id_may_be_given_from_outside() {
    let name = Name::new("mine").expect("a valid name");
    for text in ["nodes: {a: {tool: t}}", "id: theirs\nnodes: {a: {tool: t}}"] {
        let graph = graph_with_id(text.as_bytes(), &Limits::default(), &name).map_err(|faults| super::lines(&faults));
        assert_eq!(graph.map(|graph| graph.id.to_string()), Ok("mine".to_owned()));
    }
}

#[test]
fn a_tree_may_be_compiled_on_its_own() {
    let limits = Limits::default();
    let compiled = parse(EXAMPLE.as_bytes(), &limits).and_then(|tree| document::graph_from_tree(&tree, &limits));
    assert_eq!(compiled.ok(), Some(accept(EXAMPLE)));
}

#[test]
fn arguments_are_rendered_with_results() {
    struct Answers(Graph);
    impl antfarm_model::Results for Answers {
        fn array(&self, node: NodeNo) -> Option<u32> {
            self.0.nodes[node.0 as usize].array
        }
        fn result(&self, _: NodeNo, index: u32) -> Option<&str> {
            ["{\"rows\": [1.0, 2]}", "[]", "\"x\""].get(index as usize).copied()
        }
    }
    let answers = Answers(accept(
        "id: g\nnodes: {a: {tool: t}, fan: {tool: t, array: {count: 3}}, b: {tool: t, args: {n: null, x: {$ref: a#/rows/0}, y: {$ref: fan}, z: {$ref: 'fan[2]'}}}}",
    ));
    let rendered = answers.0.nodes[2].args.render(&answers, 1_000);
    assert_eq!(rendered.as_deref(), Ok(r#"{"n":null,"x":1.0,"y":[{"rows": [1.0, 2]},[],"x"],"z":"x"}"#));
}
