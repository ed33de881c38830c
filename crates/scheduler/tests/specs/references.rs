//! A node is ready when everything that it refers to has succeeded; a reference that leads nowhere fails it.

use antfarm_model::{CostClass, EffectClass, Limits, NodeNo, document};
use expect_test::expect;

use crate::farm::Farm;

fn farm() -> Farm {
    let mut farm = Farm::new();
    farm.tool("work", CostClass::Cpu, EffectClass::Guarded);
    farm.forager("f", 10, &["work"]);
    farm
}

#[test]
fn children_wait_for_their_parents() {
    let mut farm = farm();
    let text = "{id: g, nodes: {c: {tool: work, after: [b]}, b: {tool: work, args: {$ref: a}}, a: {tool: work}}}";
    farm.submit(text).expect("accepted");
    let forager = farm.state.forager_named("f").expect("registered").no;
    for expected in ["g/a to f", "g/b to f", "g/c to f"] {
        assert_eq!(farm.work(), [expected]);
        let attempt = farm.open(forager)[0];
        farm.succeed(forager, attempt, "[1]").expect("open");
    }
    expect![[r#"
        graph g succeeded
          c[0] succeeded [1]
          b[0] succeeded [1]
          a[0] succeeded [1]
    "#]]
    .assert_eq(&graphs(&farm));
}

#[test]
fn a_reference_to_one_instance_waits_for_that_one_only() {
    let mut farm = farm();
    let text = r#"{"id": "g", "nodes": {"fan": {"tool": "work", "array": {"count": 3}},
        "one": {"tool": "work", "args": {"$ref": "fan[1]"}}, "all": {"tool": "work", "args": {"$ref": "fan"}}}}"#;
    farm.submit(text).expect("accepted");
    assert_eq!(farm.work(), ["g/fan[0..3] to f"]);
    let forager = farm.state.forager_named("f").expect("registered").no;
    let open = farm.open(forager);
    farm.succeed(forager, open[1], "10").expect("open");
    assert_eq!(farm.work(), ["g/one to f"]);
    farm.succeed(forager, open[0], "0").expect("open");
    farm.succeed(forager, open[2], "20").expect("open");
    assert_eq!(farm.work(), ["g/all to f"]);
    let graph = farm.state.graph_named("g").expect("submitted");
    assert_eq!(graph.arguments(NodeNo(1)).as_deref(), Ok("10"));
    assert_eq!(graph.arguments(NodeNo(2)).as_deref(), Ok("[0,10,20]"));
}

#[test]
fn a_pointer_into_nothing_fails_the_node_and_says_so() {
    let mut farm = farm();
    farm.submit(
        r#"{"id": "g", "nodes": {"a": {"tool": "work"}, "b": {"tool": "work", "args": {"x": {"$ref": "a#/rows/0"}}}}}"#,
    )
    .expect("accepted");
    farm.run_all(r#"{"rows":[]}"#);
    expect![[r#"
        graph g failed
          a[0] succeeded {"rows":[]}
          b[0] failed the result of a has nothing at /rows/0, which the arguments refer to: look at that result, and mend the reference
    "#]]
    .assert_eq(&graphs(&farm));
}

#[test]
fn a_node_that_fails_its_graph_while_others_resolve_leaves_none_of_them_ready() {
    let mut farm = farm();
    let text = r#"{"id": "g", "nodes": {"a": {"tool": "work"}, "b": {"tool": "work", "args": {"$ref": "a#/x"}},
        "c": {"tool": "work", "after": ["a"]}, "d": {"tool": "work", "args": {"$ref": "a"}}}}"#;
    farm.submit(text).expect("accepted");
    farm.run_all("1");
    expect![[r#"
        graph g failed
          a[0] succeeded 1
          b[0] failed the result of a has nothing at /x, which the arguments refer to: look at that result, and mend the reference
          c[0] skipped
          d[0] skipped
    "#]]
    .assert_eq(&graphs(&farm));
}

#[test]
fn arguments_that_grow_too_large_fail_the_node_and_say_so() {
    let mut farm = farm();
    let text = r#"{"id": "g", "nodes": {"fan": {"tool": "work", "array": {"count": 20}}, "all": {"tool": "work", "args": {"$ref": "fan"}}}}"#;
    farm.submit(text).expect("accepted");
    farm.run_all(&format!("\"{}\"", "x".repeat(60_000)));
    let graph = farm.state.graph_named("g").expect("submitted");
    let why = graph.instance(NodeNo(1), 0).and_then(|all| all.text.as_deref()).expect("it failed");
    assert!(why.contains("more than 1048576 bytes"), "{why}");
}

#[test]
fn a_large_graph_of_chains_runs_to_its_end() {
    let mut farm = farm();
    let nodes: Vec<String> = (0..500)
        .map(|n| {
            if n % 10 == 0 {
                format!("n{n}: {{tool: work}}")
            } else {
                format!("n{n}: {{tool: work, after: [n{}]}}", n - 1)
            }
        })
        .collect();
    let text = format!("{{id: g, nodes: {{{}}}}}", nodes.join(", "));
    document::graph(text.as_bytes(), &Limits::default()).expect("a good graph");
    farm.submit(&text).expect("accepted");
    farm.run_all("null");
    assert_eq!(farm.state.graph_named("g").expect("submitted").state().as_str(), "succeeded");
}

pub(crate) fn graphs(farm: &Farm) -> String {
    let text = farm.state.render();
    text.find("graph").map(|at| text[at..].to_owned()).unwrap_or_default()
}
