//! Large graphs, a node per line.

use antfarm_model::{Limits, document};
use expect_test::{Expect, expect};

use super::{accept, lines};

fn check(text: &str, expected: &Expect) {
    match document::parse_ndjson_graph(text.as_bytes(), &Limits::default()) {
        Ok(graph) => expected.assert_eq(&graph.to_json()),
        Err(faults) => expected.assert_eq(&lines(&faults)),
    }
}

#[test]
fn lines_are_the_graph_and_its_nodes() {
    let text = "{\"id\": \"g\", \"defaults\": {\"retries\": 1}}\r\n\n{\"id\": \"b\", \"tool\": \"echo\", \"args\": {\"$ref\": \"a\"}}\r\n{\"id\": \"a\", \"tool\": \"noop\"}";
    let graph = document::parse_ndjson_graph(text.as_bytes(), &Limits::default()).map_err(|faults| lines(&faults));
    let same = accept("id: g\nnodes:\n  b: {tool: echo, args: {$ref: a}, retries: 1}\n  a: {tool: noop, retries: 1}\n");
    assert_eq!(graph, Ok(same));
}

#[test]
fn every_broken_line_is_told() {
    check(
        "{\"id\": \"g\"}\n{\"id\": \"a\" \"tool\": \"noop\"}\n{\"id\": \"b\", \"tool\": \"noop\"}\n{\"id\": \"c\", \"tool\": \"noop\"} 1\n{\"id\": \"d\", \"id\": \"e\"}\nx\n",
        &expect![[r#"
            2:12: no valid JSON: expected ',' or '}', found '"'
            4:29: no valid JSON: expected the end of the document, found '1'
            5:13: nodes[1].id: the key "id" stands here again; it is at 5:2 already
            6:1: no valid JSON: expected a value, found 'x'"#]],
    );
}

#[test]
fn faults_of_nodes_have_the_place_of_their_line() {
    check(
        "{\"id\": \"g\"}\n{\"id\": \"a\", \"tool\": 1}\n{\"tool\": \"noop\"}\n{\"id\": \"a\", \"tool\": \"noop\"}\n[]\n",
        &expect![[r#"
            2:21: nodes[0].tool: must be a string; put it in quotes: "1"
            3:1: nodes[1]: has no id, which a node in a list must have
            4:8: nodes[2].id: the id "a" is that of nodes[0] already
            5:1: nodes[3]: must be a map with id, tool, args, after, deadline, not_before, timeout, retries, pin, array, not a list"#]],
    );
}

#[test]
fn the_first_line_is_the_graph_without_nodes() {
    check("", &expect!["1:1: the document is empty; its first line must be the graph without nodes"]);
    check("[]\n", &expect!["1:1: the first line must be the graph without nodes, a map, not a list"]);
    check("{\"id\": \"g\"}\n", &expect!["1:1: nodes: a graph has at least one node"]);
    check(
        "{\"id\": \"g\", \"nodes\": {}}\n{\"id\": \"a\", \"tool\": \"noop\"}\n",
        &expect!["1:13: nodes: the first line must not have nodes; each node stands on a line of its own, with its id"],
    );
}
