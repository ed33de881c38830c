//! Specs of documents: what is accepted, what is a fault, and how the faults read.

#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes them where it updates a text")]

mod arbitrary;
mod faults;
mod graphs;
mod json;
mod large;
mod manifests;
mod ndjson;
mod warnings;
mod yaml;

use antfarm_model::document::{self, Key, Tree, Value};
use antfarm_model::{Fault, Graph, Limits};
use expect_test::Expect;

fn accept(text: &str) -> Graph {
    document::graph(text.as_bytes(), &Limits::default()).unwrap_or_else(|faults| panic!("{}", lines(&faults)))
}

/// Holds the faults of a graph against what is expected.
fn check(text: &str, expected: &Expect) {
    match document::graph(text.as_bytes(), &Limits::default()) {
        Ok(graph) => panic!("accepted: {graph:?}"),
        Err(faults) => expected.assert_eq(&lines(&faults)),
    }
}

/// Holds a tree, written as JSON, or its faults against what is expected.
fn check_tree(bytes: &[u8], expected: &Expect) {
    match document::parse(bytes, &Limits::default()) {
        Ok(tree) => expected.assert_eq(&json(&tree)),
        Err(faults) => expected.assert_eq(&lines(&faults)),
    }
}

fn lines(faults: &[Fault]) -> String {
    let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

/// The tree as JSON; maps keep their order.
fn json(tree: &Tree<'_>) -> String {
    let quote = |text: &str| serde_json::to_string(text).expect("every text is a JSON string");
    let list = |parts: Vec<String>| parts.join(",");
    match &tree.value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(text) => text.to_string(),
        Value::String(text) => quote(text),
        Value::List(items) => format!("[{}]", list(items.iter().map(json).collect())),
        Value::Map(entries) => {
            let entry = |(key, value): &(Key<'_>, Tree<'_>)| format!("{}:{}", quote(&key.text), json(value));
            format!("{{{}}}", list(entries.iter().map(entry).collect()))
        }
    }
}
