//! Graphs that are wrong, too large, or made to blow up: each is refused with its faults by path, or runs as written.

use std::fmt::Write as _;
use std::sync::Arc;

use antfarm_testkit::{Answer, Cluster};
use serde_json::{Value, json};

use crate::given::{SOON, Shared, ended, patient, unharmed, unharmed_within};
use crate::wire::{post, send};

const JSON: &str = "application/json";
const YAML: &str = "application/yaml";
const NDJSON: &str = "application/x-ndjson";

fn cluster() -> Arc<Cluster> {
    static SHARED: Shared = Shared::new();
    SHARED.cluster(|| patient().script("cat", "cat").start())
}

/// Submits a text that must be refused as invalid, and returns its faults as `path: message`.
fn faults(kind: &str, body: &[u8]) -> Vec<String> {
    let cluster = cluster();
    let answer = unharmed(&cluster, || post(cluster.leader(), kind, body));
    assert_eq!((answer.status, answer.problem().as_deref()), (422, Some("invalid")), "{}", answer.body);
    let document = answer.json().expect("a problem document");
    let faults = document["faults"].as_array().expect("a list").iter();
    let text = |fault: &Value, key: &str| fault[key].as_str().unwrap_or_default().to_owned();
    faults.map(|fault| format!("{}: {}", text(fault, "path"), text(fault, "message"))).collect()
}

fn told(faults: &[String], parts: &[&str]) {
    let all_in_one = |fault: &&String| parts.iter().all(|part| fault.contains(part));
    assert!(faults.iter().any(|fault| all_in_one(&fault)), "no fault tells {parts:?}: {faults:#?}");
}

#[test]
fn a_cycle_is_told_node_by_node() {
    let text = "id: g\nnodes:\n  a: {tool: noop, after: [c]}\n  b: {tool: noop, args: {$ref: a}}\n  c: {tool: noop, after: [b]}\n";
    told(&faults(YAML, text.as_bytes()), &["nodes.a", "a → c → b → a"]);
}

#[test]
fn an_unknown_reference_is_told_with_what_was_meant() {
    let text = r#"{"id": "g", "nodes": {"fetch": {"tool": "noop"}, "clean": {"tool": "noop", "args": {"$ref": "fecth#/rows"}}}}"#;
    told(&faults(JSON, text.as_bytes()), &["nodes.clean.args.$ref", "no node is named \"fecth\"", "\"fetch\"?"]);
}

#[test]
fn an_unknown_tool_is_told_with_the_way_to_declare_it() {
    let text = r#"{"id": "g", "nodes": {"a": {"tool": "no-such-tool"}}}"#;
    told(&faults(JSON, text.as_bytes()), &["nodes.a.tool", "no-such-tool has no manifest", "antfarm tool apply"]);
}

#[test]
fn a_duplicate_id_is_told() {
    let text = r#"{"id": "g", "nodes": [{"id": "x", "tool": "noop"}, {"id": "x", "tool": "noop"}]}"#;
    told(&faults(JSON, text.as_bytes()), &["nodes[1].id", "\"x\" is that of nodes[0] already"]);
    let lines = "{\"id\": \"g\"}\n{\"id\": \"x\", \"tool\": \"noop\"}\n{\"id\": \"x\", \"tool\": \"noop\"}\n";
    told(&faults(NDJSON, lines.as_bytes()), &["nodes[1].id", "\"x\" is that of nodes[0] already"]);
}

#[test]
fn a_duplicate_key_is_told_wherever_it_stands() {
    let text = r#"{"id": "g", "nodes": {"a": {"tool": "noop", "args": {"k": 1, "k": 2}}, "a": {"tool": "noop"}}}"#;
    let faults = faults(JSON, text.as_bytes());
    told(&faults, &["nodes.a.args.k", "stands here again"]);
    told(&faults, &["nodes.a: ", "stands here again"]);
}

#[test]
fn a_wrong_type_is_told_for_every_field() {
    let text = r#"{"id": 7, "on_failure": [], "defaults": "none", "nodes": {"a": {"tool": {}, "after": "b", "retries": 1.5, "array": 3}}}"#;
    let faults = faults(JSON, text.as_bytes());
    for path in [
        "id: ",
        "on_failure: ",
        "defaults: ",
        "nodes.a.tool: ",
        "nodes.a.after: ",
        "nodes.a.retries: ",
        "nodes.a.array: ",
    ] {
        assert!(faults.iter().any(|fault| fault.starts_with(path)), "{path} is not told: {faults:#?}");
    }
    for text in ["[]", "null", "17", "\"graph\"", "[[[]]]", ""] {
        let _ = self::faults(JSON, text.as_bytes());
    }
}

#[test]
fn an_id_of_129_characters_is_refused_and_one_of_128_runs() {
    let (fits, long) = ("n".repeat(128), "n".repeat(129));
    let graph = |id: &str| json!({"id": id, "nodes": {id: {"tool": "noop"}}});
    let faults = faults(JSON, graph(&long).to_string().as_bytes());
    told(&faults, &["id: ", "at most 128 characters; this one has 129"]);
    told(&faults, &["nodes[", "at most 128 characters; this one has 129"]);
    let cluster = cluster();
    cluster.submit(&graph(&fits));
    assert_eq!(ended(&cluster, &fits, &fits)["state"], "succeeded");
}

#[test]
fn ids_of_other_alphabets_are_refused_by_the_character() {
    for id in [
        "граф",
        "图",
        "ｇｒａｐｈ",
        "g\u{202e}hparg",
        "g\u{200b}",
        "g\u{0}",
        "🐜",
        "e\u{301}",
        "../etc",
        "a b",
        "",
        "-g",
    ] {
        let graph = json!({"id": id, "nodes": {"a": {"tool": "noop"}}});
        told(&faults(JSON, graph.to_string().as_bytes()), &["id: a name"]);
        let graph = json!({"id": "g", "nodes": {id: {"tool": id}}});
        assert_eq!(faults(JSON, graph.to_string().as_bytes()).len(), 3, "the id, the name of the tool, no such tool");
    }
}

#[test]
fn a_graph_of_64_mib_is_refused_before_it_is_read() {
    let cluster = cluster();
    let large = vec![b' '; 64 << 20];
    let too_large = |answer: &Answer| {
        assert_eq!((answer.status, answer.problem().as_deref()), (413, Some("too-large")), "{}", answer.body);
        assert!(answer.body.contains("at most 33554432 bytes"), "{}", answer.body);
    };
    too_large(&unharmed(&cluster, || post(cluster.leader(), JSON, &large)));
    too_large(&unharmed(&cluster, || post(cluster.followers()[0], JSON, &large)));
    // Without a length in its head the end of a body is known only when it comes.
    let head = b"POST /v1/graphs HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n";
    let mut chunk = format!("{:x}\r\n", large.len()).into_bytes();
    chunk.extend_from_slice(&large);
    chunk.extend_from_slice(b"\r\n0\r\n\r\n");
    too_large(&unharmed(&cluster, || send(cluster.leader(), head, &chunk)));
    let nodes: Vec<Value> = (0..160).map(|_| json!({"tool": "echo", "args": "x".repeat(440_000)})).collect();
    let nodes: serde_json::Map<String, Value> = (0..).map(|number| format!("n{number}")).zip(nodes).collect();
    let file = cluster.scratch().write("large.json", &json!({"id": "large", "nodes": nodes}).to_string());
    let refused = cluster.antfarm(&["submit", file.to_str().expect("UTF-8")]).exits(4);
    assert!(refused.stderr.contains("bytes"), "{}", refused.stderr);
}

/// So many nodes, which all need this tool, a line each.
fn nodes(count: usize, tool: &str) -> String {
    let mut lines = String::from("{\"id\": \"many\"}\n");
    for number in 0..count {
        let _ = writeln!(lines, "{{\"id\":\"{number}\",\"tool\":\"{tool}\"}}"); // a String takes all
    }
    lines
}

#[test]
fn more_than_a_million_nodes_are_refused() {
    let lines = nodes(1_000_001, "noop");
    told(&faults(NDJSON, lines.as_bytes()), &["has 1000001 nodes; a graph has at most 1000000"]);
}

#[test]
fn a_million_nodes_are_taken_and_depose_no_leader() {
    /// The text, its tree, the graph, its parts in the log and its state, some of it at the same time.
    const MILLION_NODES_MIB: u64 = 2_048;
    let cluster = patient().start();
    let http = cluster.leader().http();
    // No forager has it, so that the others' work has no queue to wait in.
    let manifest = r#"{"cost_class": "model", "effects": "pure"}"#;
    http.put("/v1/tools/rare", manifest).and_then(|answer| answer.ok()).expect("it is taken");
    let lines = nodes(1_000_000, "rare");
    unharmed_within(MILLION_NODES_MIB, &cluster, || {
        let answer = post(cluster.leader(), NDJSON, lines.as_bytes());
        assert_eq!(answer.status, 201, "{}", answer.body);
        assert_eq!(cluster.graph("many").expect("it is there")["nodes"]["ready"], 1_000_000);
        let cancelled = http.post("/v1/graphs/many/cancel", "").and_then(|answer| answer.ok()).expect("it answers");
        assert_eq!(cancelled["state"], "cancelled");
    });
}

#[test]
fn invalid_utf_8_is_refused_at_its_place() {
    for bytes in [&b"\xff"[..], b"\xc3", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80"] {
        let body = [b"id: g\nnodes:\n  a: {tool: ", bytes, b"}\n"].concat();
        let faults = faults(YAML, &body);
        told(&faults, &["not UTF-8", &format!("{:#04x}", bytes[0])]);
        assert_eq!(faults.len(), 1);
    }
}

#[test]
fn a_yaml_bomb_does_not_go_off() {
    let mut text =
        String::from("id: g\nnodes:\n  a:\n    tool: noop\n    args:\n      a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..=60 {
        let of = vec![format!("*a{}", level - 1); 9].join(", ");
        let _ = writeln!(text, "      a{level}: &a{level} [{of}]"); // a String takes all
    }
    let faults = faults(YAML, text.as_bytes());
    told(&faults, &["nodes.a.args.a0", "anchors (&name) are not accepted"]);
    told(&faults, &["nodes.a.args.a1[0]", "aliases (*name) are not accepted"]);
    let merged = "id: g\nnodes:\n  a: &a {tool: noop}\n  b: {<<: *a}\n";
    told(&self::faults(YAML, merged.as_bytes()), &["merge keys"]);
}

#[test]
fn nesting_of_10_000_levels_is_refused() {
    let (open, close) = ("[".repeat(10_000), "]".repeat(10_000));
    let maps = "{\"a\":".repeat(10_000);
    let json = |args: &str| format!(r#"{{"id": "g", "nodes": {{"a": {{"tool": "noop", "args": {args}}}}}}}"#);
    let yaml = |args: &str| format!("id: g\nnodes:\n  a:\n    tool: noop\n    args:\n      {args}\n");
    for (kind, text) in [
        (JSON, json(&format!("{open}{close}"))),
        (JSON, json(&maps)),
        (JSON, open.clone()),
        (YAML, yaml(&format!("{open}{close}"))),
        (YAML, yaml(&"- ".repeat(10_000))),
        (YAML, yaml(&"? ".repeat(10_000))),
        (NDJSON, format!("{{\"id\": \"g\"}}\n{{\"id\": \"a\", \"tool\": \"noop\", \"args\": {open}{close}}}\n")),
    ] {
        told(&faults(kind, text.as_bytes()), &["more than 64 deep"]);
    }
}

#[test]
fn numbers_beyond_2_53_reach_the_tool_and_come_back_as_they_were_written() {
    const NUMBERS: &str = "[9007199254740993,-9223372036854775809,18446744073709551616,123456789012345678901234567890.1250,1e400,-0.0,1E-999,0.1000000000000000055511151231257827]";
    let cluster = cluster();
    let manifest = r#"{"cost_class": "cpu", "effects": "pure"}"#;
    cluster.leader().http().put("/v1/tools/cat", manifest).and_then(|answer| answer.ok()).expect("it is taken");
    let yaml = format!(
        "id: exact-yaml\nnodes:\n  echo: {{tool: echo, args: {NUMBERS}}}\n  cat: {{tool: cat, args: {{$ref: echo}}}}\n"
    );
    let json = format!(
        r#"{{"id": "exact-json", "nodes": {{"echo": {{"tool": "echo", "args": {NUMBERS}}}, "cat": {{"tool": "cat", "args": {{"$ref": "echo"}}}}}}}}"#
    );
    let lines = format!(
        "{{\"id\": \"exact-ndjson\"}}\n{{\"id\": \"echo\", \"tool\": \"echo\", \"args\": {NUMBERS}}}\n{{\"id\": \"cat\", \"tool\": \"cat\", \"args\": {{\"$ref\": \"echo\"}}}}\n"
    );
    for (id, kind, text) in [("exact-yaml", YAML, yaml), ("exact-json", JSON, json), ("exact-ndjson", NDJSON, lines)] {
        let answer = post(cluster.leader(), kind, text.as_bytes());
        assert_eq!(answer.status, 201, "{}", answer.body);
        let _ = cluster.wait_for_success(id, SOON);
        for node in ["echo", "cat"] {
            let result = cluster.get(&format!("/v1/graphs/{id}/nodes/{node}/result")).expect("it has a result");
            assert_eq!(result.body, NUMBERS, "{id}/{node}");
            let shown = cluster.antfarm(&["node", "show", &format!("{id}/{node}"), "--json"]).exits(0);
            assert!(shown.stdout.replace([' ', '\n'], "").contains(NUMBERS), "{}", shown.stdout);
        }
        let results = cluster.antfarm(&["graph", "results", id, "--json"]).exits(0);
        assert_eq!(results.stdout.replace([' ', '\n'], "").matches(NUMBERS).count(), 2, "{}", results.stdout);
    }
}

#[test]
fn an_array_of_zero_is_refused() {
    let text = r#"{"id": "g", "nodes": {"a": {"tool": "noop", "array": {"count": 0}}}}"#;
    told(&faults(JSON, text.as_bytes()), &["nodes.a.array.count", "from 1 to 10000000, not 0"]);
}

#[test]
fn an_array_of_four_billion_is_refused() {
    for count in ["4000000000", "4294967296", "99999999999999999999", "-1", "1e9", "10000001"] {
        let text = format!(r#"{{"id": "g", "nodes": {{"a": {{"tool": "noop", "array": {{"count": {count}}}}}}}}}"#);
        told(&faults(JSON, text.as_bytes()), &["nodes.a.array.count", "from 1 to 10000000, not"]);
    }
}

#[test]
fn many_graphs_of_many_values_are_not_read_all_at_once() {
    const AT_ONCE: usize = 12;
    let text = format!(r#"{{"id": "g", "nodes": {{"a": {{"tool": "noop", "args": [{}0]}}}}}}"#, "0,".repeat(4_000_000));
    let cluster = cluster();
    unharmed(&cluster, || {
        std::thread::scope(|scope| {
            let clients: Vec<_> =
                (0..AT_ONCE).map(|_| scope.spawn(|| post(cluster.leader(), JSON, text.as_bytes()))).collect();
            for client in clients {
                let answer = client.join().expect("it does not panic");
                let refused = [(422, Some("invalid")), (429, Some("overloaded"))];
                assert!(refused.contains(&(answer.status, answer.problem().as_deref())), "{}", answer.body);
            }
        });
    });
}
