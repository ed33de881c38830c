//! Hostile bytes for the bodies of requests and for what members answer, and for configurations.

use antfarm_fuzzing::Target;
use antfarm_model::{Limits, Manifest, WallTime, document};
use serde_json::Value;

use super::ask::json;
use super::cluster::Transfer;
use super::decide::Ruling;
use super::peers::OwnView;
use super::{submit, tools};
use crate::config::QueenConfig;

const FOLDER: &str = env!("CARGO_MANIFEST_DIR");

/// A list that grows is there twice, once of them with room for as much again.
const GROWTH: usize = 3;

/// What a map of one entry takes in a tree of JSON values: a node of a B-tree, with places for eleven entries.
const MAP_BYTES: usize = 11 * (size_of::<String>() + size_of::<Value>()) + 16;

/// What TOML's reader takes for each byte: its tokens, its tree and the texts in it.
const TOML_FACTOR: usize = 400;

/// All faults of a graph, and what its reader in YAML looks ahead.
const DOCUMENT_BYTES: usize = document::MAX_FAULTS * (4 << 10) + (640 << 10);

/// As a graph's own reading has it: an entry of a map in two bytes.
const DOCUMENT_FACTOR: usize = GROWTH * size_of::<(document::Key<'_>, document::Tree<'_>)>() / 2;

const TOKENS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "\"\"",
    "\\u0000",
    "\\ud800",
    "0",
    "-1",
    "1e400",
    "id: g\n",
    "nodes:",
    "- ",
    "\n",
    "tool: echo",
    "\"nodes\":",
    "{\"$ref\":\"a\"}",
];

fn submitted(is_ndjson: bool) -> impl Fn(&[u8]) -> Option<()> + Sync {
    let known = ["echo".to_owned(), "sleep".to_owned()];
    move |bytes| {
        let read = submit::read(bytes, is_ndjson, &Limits::default(), &known, WallTime(0));
        read.map(drop).inspect_err(|faults| faults.iter().for_each(|fault| drop(fault.to_string()))).ok()
    }
}

#[test]
fn bodies_with_a_graph() {
    Target::new(FOLDER, "bodies_with_a_graph")
        .sample(r#"{"id": "g", "nodes": {"a": {"tool": "echo"}, "b": {"tool": "sleep", "args": {"$ref": "a"}}}}"#)
        .sample("id: g\nnodes:\n  a: {tool: echo}\n  b: {tool: sleep, after: [a]}\n")
        .tokens(TOKENS)
        .takes(DOCUMENT_FACTOR)
        .beside(DOCUMENT_BYTES)
        .dense(|elements| format!("{{\"id\":\"g\",\"nodes\":[{}0]}}", "0,".repeat(elements)).into())
        .dense(|elements| format!("{{{}a}}", "a,".repeat(elements)).into())
        .run(submitted(false), |_, ()| ());
}

#[test]
fn bodies_with_a_node_on_each_line() {
    Target::new(FOLDER, "bodies_with_a_node_on_each_line")
        .sample("{\"id\": \"g\"}\n{\"id\": \"a\", \"tool\": \"sleep\"}\n{\"id\": \"b\", \"tool\": \"echo\", \"after\": [\"a\"]}\n")
        .tokens(TOKENS)
        .takes(DOCUMENT_FACTOR)
        .beside(DOCUMENT_BYTES)
        .dense(|elements| format!("{{\"id\":\"g\"}}\n{}", "{}\n".repeat(elements)).into())
        .run(submitted(true), |_, ()| ());
}

#[test]
fn bodies_with_a_manifest() {
    let read = |bytes: &[u8]| -> Option<Manifest> { tools::manifest("t", json(bytes).ok()?).ok() };
    Target::new(FOLDER, "bodies_with_a_manifest")
        .sample(r#"{"name": "t", "cost_class": "cpu", "effects": "pure", "timeout": "10m", "retries": 7, "backoff": {"initial": "1s", "factor_percent": 150, "max": "1m"}}"#)
        .sample(r#" {"cost_class": "model"}"#)
        .tokens(TOKENS)
        .takes(MAP_BYTES / 7 + GROWTH * size_of::<Value>() / 2)
        .dense(|elements| format!("{{\"a\":[{}0]}}", "0,".repeat(elements)).into())
        .dense(|elements| format!("{{\"a\":[{}0]}}", "{\"\":0},".repeat(elements)).into())
        .run(read, |_, manifest| assert_eq!(manifest.name.as_str(), "t"));
}

#[test]
fn bodies_with_a_decision() {
    Target::new(FOLDER, "bodies_with_a_decision")
        .sample(r#"{"verdict": "succeed", "fence": 7, "result": {"a": [1]}, "by": "ada", "why": "so"}"#)
        .sample(r#"{"verdict": "retry", "fence": 7, "assume_ended": true}"#)
        .tokens(TOKENS)
        .takes(GROWTH + 1)
        .dense(|elements| format!("{{\"result\":{}", "[".repeat(elements)).into())
        .dense(|elements| {
            format!("{{\"verdict\":\"fail\",\"fence\":1,\"why\":\"\\n{}\"}}", "x".repeat(elements)).into()
        })
        .run(|bytes| json::<Ruling>(bytes).ok(), |_, ruling| drop(ruling));
}

#[test]
fn bodies_with_a_transfer_and_what_members_answer() {
    Target::new(FOLDER, "bodies_with_a_transfer_and_what_members_answer")
        .samples(["{\"to\": 3}", "", "{\"to\": null}"])
        .sample(r#"{"id": 1, "term": 2, "last_log_index": 3, "commit_index": 3, "applied_index": 3, "wall_ms": 4}"#)
        .tokens(TOKENS)
        .takes(GROWTH + 1)
        .dense(|elements| format!("{{\"{}\":0}}", "x".repeat(elements)).into())
        .run(
            |bytes| {
                let said = serde_json::from_slice::<OwnView>(bytes).is_ok();
                (json::<Transfer>(bytes).is_ok() || said).then_some(())
            },
            |_, ()| (),
        );
}

#[test]
fn configurations_of_queens() {
    Target::new(FOLDER, "configurations_of_queens")
        .sample("id = 2\ncluster_id = \"test\"\ndata_dir = \"d\"\nraft = \"127.0.0.1:7202\"\ninitial_members = [\n {id = 2, http = \"127.0.0.1:7102\", raft = \"127.0.0.1:7202\"},\n]\n[limits]\ngraph_bytes = \"32MiB\"\n")
        .tokens(&["[", "]", "[[", "=", "\"", "\'\'\'", "\n", "{", "}", ".", "[raft]", "heartbeat = \"50ms\"", "tls", "1979-05-27T07:32:00Z"])
        .takes(TOML_FACTOR)
        .dense(|elements| format!("a = [{}]", "1,".repeat(elements)).into())
        .dense(|elements| "[".repeat(elements).into())
        .run(
            |bytes| {
                let text = std::str::from_utf8(bytes).ok()?;
                QueenConfig::parse(text, &[]).inspect_err(|invalid| drop(invalid.to_string())).ok()
            },
            |_, config| drop(config),
        );
}
