//! A graph that cannot keep its deadlines by its own time-outs is told so.

use antfarm_model::{Graph, Limits, WallTime, document};
use expect_test::{Expect, expect};

/// 2030-01-01T00:00:00Z.
const NOW: WallTime = WallTime(1_893_456_000_000);

fn check(nodes: &str, expected: &Expect) {
    let text = format!("id: g\nnodes:\n{nodes}");
    let graph = document::graph(text.as_bytes(), &Limits::default()).expect("a good graph");
    let told: Vec<String> = graph.warnings(NOW).iter().map(ToString::to_string).collect();
    expected.assert_eq(&told.join("\n"));
}

#[test]
fn the_longest_path_of_time_outs_must_end_in_time() {
    check(
        "
  fetch: {tool: t, timeout: 10m}
  quick: {tool: t, timeout: 1m}
  clean: {tool: t, timeout: 20m, args: {$ref: fetch}, after: [quick]}
  report: {tool: t, timeout: 5m, after: [clean], deadline: 2030-01-01T00:34:59.999Z}
  late: {tool: t, after: [clean], deadline: 2030-01-01T00:30:00Z}
",
        &expect![[
            r#"nodes.report.deadline: by its declared time-outs the graph may miss it by 1ms: what comes before the node may take 30m from now on and the node itself 5m, even if nothing has to be repeated; shorten time-outs, or allow more time"#
        ]],
    );
}

#[test]
fn time_that_is_just_enough_is_no_reason_to_warn() {
    check(
        "
  a: {tool: t, timeout: 10m}
  b: {tool: t, timeout: 5m, after: [a], deadline: 2030-01-01T00:15:00Z}
",
        &expect![[r#""#]],
    );
}

#[test]
fn not_before_and_deadlines_that_have_passed_count_too() {
    check(
        "
  b: {tool: t, not_before: 2030-01-02T00:00:00Z, timeout: 1h, deadline: 2030-01-02T00:30:00Z}
  c: {tool: t, deadline: 2029-12-31T00:00:00Z}
",
        &expect![[r#"
            nodes.b.deadline: by its declared time-outs the graph may miss it by 30m: what comes before the node may take 1d from now on and the node itself 1h, even if nothing has to be repeated; shorten time-outs, or allow more time
            nodes.c.deadline: 2029-12-31T00:00:00Z has passed: the node expires at once, and never runs"#]],
    );
}

#[test]
fn a_node_with_a_deadline_holds_nobody_up_beyond_it() {
    check(
        "
  a: {tool: t, timeout: 10h, deadline: 2030-01-01T00:10:00Z}
  b: {tool: t, timeout: 5m, after: [a], deadline: 2030-01-01T00:20:00Z}
",
        &expect![[
            r#"nodes.a.deadline: by its declared time-outs the graph may miss it by 590m: what comes before the node may take 0ms from now on and the node itself 10h, even if nothing has to be repeated; shorten time-outs, or allow more time"#
        ]],
    );
}

#[test]
fn a_chain_of_a_hundred_thousand_nodes_is_followed_to_its_end_and_warnings_are_bounded() {
    let node = |node: u32| {
        let deadline = if node >= 99_900 { ", \"deadline\": \"2030-01-02T03:00:00Z\"" } else { "" };
        format!("\"n{node}\": {{\"tool\": \"t\", \"after\": [\"n{}\"]{deadline}}}", node + 1)
    };
    let nodes = (0..100_000).map(node).collect::<Vec<_>>().join(",");
    let text = format!(
        "{{\"id\": \"g\", \"defaults\": {{\"timeout\": \"1s\"}}, \"nodes\": {{{nodes}, \"n100000\": {{\"tool\": \"t\"}}}}}}"
    );
    let graph = document::graph(text.as_bytes(), &Limits::default()).expect("a good graph");
    assert_eq!(graph.warnings(NOW).len(), 0, "100,000 s are less than 27 h, and the first deadlines are near the end");
    let late = WallTime(NOW.0 + 27 * 3_600_000 - 1_000);
    assert_eq!(graph.warnings(late).len(), Graph::MAX_WARNINGS);
}
