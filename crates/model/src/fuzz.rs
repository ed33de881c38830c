//! Hostile bytes for documents and the small texts in them.

mod as_yaml;

use antfarm_fuzzing::Target;

use crate::document::{self, Key, ManifestDocument, Tree, Value};
use crate::{Fault, Graph, InstanceName, Limits, Manifest, Name, Span, WallTime, pointer};

const FOLDER: &str = env!("CARGO_MANIFEST_DIR");

/// A list that grows is there twice, once of them with room for as much again.
const GROWTH: usize = 3;

/// All faults that are told, with their paths and messages.
const FAULTS_BYTES: usize = document::MAX_FAULTS * (2 << 10);

/// The tokens that the YAML parser keeps while it looks for the colon of a key, 1,024 characters ahead.
const LOOK_AHEAD_BYTES: usize = 640 << 10;

/// A graph with everything that graphs have.
const GRAPH: &str = r#"{"id": "g", "on_failure": "continue", "on_deadline": "skip_successors",
  "defaults": {"timeout": "10m", "retries": 2}, "nodes": {
  "fetch": {"tool": "http", "args": {"url": "x\u00e4\n", "n": [1, -2.5e3, true, null]}, "retries": 3,
    "deadline": "2026-12-01T06:00:00.25Z", "not_before": "2026-11-30T06:00:00+01:00", "timeout": "90s", "pin": "ant-7"},
  "fan": {"tool": "cpu", "array": {"count": 4}, "args": {"all": {"$ref": "fetch#/rows/0"}}},
  "end": {"tool": "cpu", "after": ["fan[3]"], "args": [{"$ref": "fan"}, {"$ref": "fan[1]#/a~1b"}]}}}"#;

const YAML: &str = "# a graph\nid: g\non_failure: continue\nnodes:\n  - id: fetch\n    tool: 'http'\n    args: {url: \"x\\u00e4\", n: [1, -2.5e3, true, ~]}\n    deadline: 2026-12-01T06:00:00Z\n  - id: fan\n    tool: cpu\n    array:\n      count: 4\n    args: |\n      some\n      text\n  - {id: end, tool: cpu, after: ['fan[3]', fetch]}\n";

const NDJSON: &str = "{\"id\": \"g\", \"defaults\": {\"retries\": 1}}\n\n{\"id\": \"a\", \"tool\": \"t\", \"array\": {\"count\": 3}}\r\n{\"id\": \"b\", \"tool\": \"t\", \"args\": {\"$ref\": \"a[2]#/x\"}, \"after\": [\"a\"]}\n";

const TOKENS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ":",
    ": ",
    ",",
    "- ",
    "? ",
    "\"",
    "'",
    "\\",
    "\\u",
    "\\ud800",
    "\n",
    "\n  ",
    "\r\n",
    "\t",
    " ",
    "#",
    "&a",
    "*a",
    "!t",
    "<<",
    "|",
    ">",
    "%",
    "@",
    "---",
    "...",
    "0",
    "-1.5e3",
    ".inf",
    "null",
    "true",
    "a",
    "\u{e9}",
    "\u{feff}",
    "\0",
    "\"id\"",
    "\"nodes\"",
    "tool",
    "args",
    "{\"$ref\":\"fan\"}",
    "after",
    "array",
    "count",
    "fan[0]",
    "1970-01-01T00:00:00Z",
    "3650d",
    "id: g",
    "~1",
    "/0",
];

fn graph(bytes: &[u8]) -> Option<Graph> {
    told(document::graph(bytes, &Limits::default()))
}

/// The value; or nothing, after its faults were written out, one after the other.
fn told<T>(read: Result<T, Vec<Fault>>) -> Option<T> {
    read.inspect_err(|faults| faults.iter().for_each(|fault| drop(fault.to_string()))).ok()
}

/// A graph keeps what those rely on who use it, and survives being written, also in the other language.
fn is_sound(bytes: &[u8], graph: &Graph) {
    assert_eq!(graph.check_sound(), Ok(()));
    let json = graph.to_json();
    assert_eq!(self::graph(json.as_bytes()).as_ref(), Some(graph), "{json}");
    if let Ok(tree) = document::parse(bytes, &Limits::default()) {
        let yaml = as_yaml::written(&tree);
        assert_eq!(self::graph(yaml.as_bytes()).as_ref(), Some(graph), "{yaml}");
    }
}

fn many(before: &str, element: &str, behind: &str, elements: usize) -> Vec<u8> {
    format!("{before}{}{behind}", element.repeat(elements)).into()
}

#[test]
fn graphs_in_json() {
    Target::new(FOLDER, "graphs_in_json")
        .sample(GRAPH)
        .tokens(TOKENS)
        .takes(GROWTH * size_of::<(Key<'_>, Tree<'_>)>() / 2)
        .beside(FAULTS_BYTES + LOOK_AHEAD_BYTES)
        .dense(|elements| many("[", "1,", "1]", elements))
        .dense(|elements| many("{\"id\":\"g\",\"nodes\":{\"a\":{\"tool\":\"t\",\"args\":[", "1,", "1]}}}", elements))
        .dense(|elements| many("{\"id\":\"g\",\"nodes\":[", "0,", "0]}", elements))
        .dense(|elements| many("{\"id\":\"g\",\"nodes\":[", "{},", "0]}", elements))
        .dense(|elements| many("{", "\"\":0,", "\"\":0}", elements))
        .dense(|elements| {
            let nodes: Vec<String> = (0..elements).map(|number| format!("\"{number:x}\":{{\"tool\":\"t\"}}")).collect();
            many("{\"id\":\"g\",\"nodes\":{", &nodes.join(","), "}}", 1)
        })
        .run(graph, |bytes, graph| is_sound(bytes, &graph));
}

#[test]
fn graphs_in_yaml() {
    Target::new(FOLDER, "graphs_in_yaml")
        .sample(YAML)
        .sample(as_yaml::written(&document::parse(GRAPH.as_bytes(), &Limits::default()).expect("it is JSON")))
        .tokens(TOKENS)
        .takes(GROWTH * size_of::<(Key<'_>, Tree<'_>)>() / 2)
        .beside(FAULTS_BYTES + LOOK_AHEAD_BYTES)
        .dense(|elements| many("a: [", "1,", "1]", elements))
        .dense(|elements| many("{", "a,", "a}", elements))
        .dense(|elements| many("{id: g, nodes: [", "a,", "a]}", elements))
        .dense(|elements| many("", "- \n", "", elements))
        .dense(|elements| many("a: ", "[", "", elements))
        .dense(|elements| many("", "? \n", "", elements))
        .dense(|elements| many("a: |\n", " x\n", "", elements))
        .run(graph, |bytes, graph| is_sound(bytes, &graph));
}

#[test]
fn graphs_in_ndjson() {
    Target::new(FOLDER, "graphs_in_ndjson")
        .sample(NDJSON)
        .tokens(TOKENS)
        .takes(GROWTH * size_of::<(Key<'_>, Tree<'_>)>() / 2)
        .beside(FAULTS_BYTES + LOOK_AHEAD_BYTES)
        .dense(|elements| many("{\"id\":\"g\"}\n", "0\n", "", elements))
        .run(|bytes| told(document::parse_ndjson_graph(bytes, &Limits::default())), |_, graph| is_sound(b"", &graph));
}

#[test]
fn json_as_both_readers_read_it() {
    Target::new(FOLDER, "json_as_both_readers_read_it")
        .sample(GRAPH)
        .sample("[{\"\": [[], {}], \"a b\": \"\\ud83d\\ude00\\/\\u0000\"}, 1E400, -0, 12345678901234567890.10]")
        .tokens(TOKENS)
        .takes(GROWTH * size_of::<(Key<'_>, Tree<'_>)>() / 2)
        .beside(FAULTS_BYTES + LOOK_AHEAD_BYTES)
        .dense(|elements| many("[", "0,", "0]", elements))
        .run(
            |bytes| told(document::parse(bytes, &Limits::default())).map(|tree| as_yaml::written(&tree)),
            |bytes, yaml| {
                let tree = document::parse(bytes, &Limits::default()).expect("it was read");
                let again = document::parse(yaml.as_bytes(), &Limits::default()).expect(&yaml);
                assert_eq!(values(&again), values(&tree), "{yaml}");
            },
        );
}

/// The values of a tree, without their places.
fn values(tree: &Tree<'_>) -> String {
    let text = |text: &str| format!("{text:?}");
    match &tree.value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(string) => text(string),
        Value::List(items) => format!("{:?}", items.iter().map(values).collect::<Vec<_>>()),
        Value::Map(entries) => {
            format!("{:?}", entries.iter().map(|(key, value)| (text(&key.text), values(value))).collect::<Vec<_>>())
        }
    }
}

#[test]
fn manifests() {
    Target::new(FOLDER, "manifests")
        .sample(r#"{"name": "t", "cost_class": "cpu", "effects": "pure", "timeout": "10m", "retries": 7, "backoff": {"initial": "1s", "factor_percent": 150, "max": "1m"}}"#)
        .sample(r#"{"name": "t", "cost_class": "model"}"#)
        .takes(GROWTH + 1)
        .tokens(&["\"name\"", "\"effects\":", "\"guarded\"", "1ms", "3651d", ":", ",", "{", "}", "\u{200b}"])
        .dense(|elements| many(r#"{"cost_class": "cpu", "name": "t", "timeout": ""#, "\u{200b}", "\"}", elements))
        .run(
            |bytes| {
                let document: ManifestDocument = serde_json::from_slice(bytes).ok()?;
                told(Manifest::try_from(document))
            },
            |_, manifest| {
                let json = serde_json::to_string(&ManifestDocument::from(&manifest)).expect("a document is JSON");
                let document: ManifestDocument = serde_json::from_str(&json).expect("it was just written");
                assert_eq!(Manifest::try_from(document), Ok(manifest), "{json}");
            },
        );
}

#[test]
fn pointers() {
    let divided = |bytes: &[u8]| {
        let (pointer, json) = std::str::from_utf8(bytes).ok()?.split_once('\n')?;
        let found = pointer::find(json, pointer)?.to_owned();
        Some((pointer.to_owned(), json.to_owned(), found))
    };
    Target::new(FOLDER, "pointers")
        .sample("/rows/1/a~1b\n{\"rows\": [10, {\"a/b\": {\"x\": 1.50}}]}")
        .sample("\n[1, {\"\": null}]")
        .tokens(TOKENS)
        .takes(GROWTH + 1)
        .dense(|elements| many("/a\n{\"a\":", "[", &"]".repeat(elements), elements))
        .run(divided, |_, (pointer, json, found)| {
            let Ok(value) = serde_json::from_str::<serde_json::Value>(&json) else { return };
            let found: serde_json::Value = serde_json::from_str(&found).expect("a part of JSON is JSON");
            assert_eq!(value.pointer(&pointer), Some(&found));
        });
}

#[test]
fn names_times_and_spans() {
    fn again<T: std::str::FromStr<Err: std::fmt::Display> + ToString + PartialEq>(text: &str) -> Option<bool> {
        let value: T = text.parse().inspect_err(|why: &T::Err| drop(why.to_string())).ok()?;
        Some(value.to_string().parse::<T>().is_ok_and(|again| again == value))
    }
    Target::new(FOLDER, "names_times_and_spans")
        .samples(["fan[3]", "a.b-c_D", "2026-12-01T06:00:00.123456789+01:00", "1970-01-01T00:00:00Z", "250ms", "3650d"])
        .tokens(&["9999-12-31T23:59:60Z", "-23:59", "[4294967295]", "d", "ms", "t", "z", "\u{663}"])
        .takes(GROWTH + 1)
        .dense(|elements| many("", "\u{200b}", "", elements))
        .run(
            |bytes| {
                let text = std::str::from_utf8(bytes).ok()?;
                let name = Name::new(text).inspect_err(|why| drop(why.to_string())).ok();
                let name = name.map(|name| name.as_str() == text);
                let all = [name, again::<InstanceName>(text), again::<WallTime>(text), again::<Span>(text)];
                all.iter().any(Option::is_some).then_some(all)
            },
            |_, all| assert!(!all.contains(&Some(false)), "what was written is not read as the same: {all:?}"),
        );
}
