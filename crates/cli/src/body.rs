//! A document's tree as the body of a request: JSON, or one node per line.

use antfarm_model::Name;
use antfarm_model::document::{Key, Tree, Value};

/// A tree as JSON; maps and numbers stay as they stand. With `id`, the graph gets this id.
pub(crate) fn json(tree: &Tree<'_>, id: Option<&Name>) -> String {
    let mut text = String::new();
    match &tree.value {
        Value::Map(entries) => write_map(&mut text, id, entries.iter().filter(|entry| !is_replaced(entry, id))),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::List(_) => {
            write(&mut text, tree);
        }
    }
    text
}

/// A graph's tree as NDJSON: the graph without `nodes` on the first line, then one node with its `id` per line.
pub(crate) fn ndjson(tree: &Tree<'_>, id: Option<&Name>) -> String {
    let mut text = String::new();
    let Value::Map(entries) = &tree.value else { return json(tree, id) };
    let is_head = |entry: &&Entry<'_>| entry.0.text != "nodes" && !is_replaced(entry, id);
    write_map(&mut text, id, entries.iter().filter(is_head));
    let nodes = entries.iter().find(|(key, _)| key.text == "nodes").map(|(_, nodes)| &nodes.value);
    match nodes {
        Some(Value::Map(nodes)) => {
            for (key, node) in nodes {
                text.push('\n');
                write_named(&mut text, &key.text, node);
            }
        }
        Some(Value::List(nodes)) => {
            for node in nodes {
                text.push('\n');
                write(&mut text, node);
            }
        }
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) | None => {}
    }
    text.push('\n');
    text
}

type Entry<'a> = (Key<'a>, Tree<'a>);

fn is_replaced(entry: &Entry<'_>, id: Option<&Name>) -> bool {
    id.is_some() && entry.0.text == "id"
}

fn write_named(text: &mut String, name: &str, node: &Tree<'_>) {
    match &node.value {
        Value::Map(entries) => {
            text.push_str("{\"id\":");
            write_text(text, name);
            for entry in entries {
                text.push(',');
                write_entry(text, entry);
            }
            text.push('}');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::List(_) => write(text, node),
    }
}

fn write_map<'t>(text: &mut String, id: Option<&Name>, entries: impl Iterator<Item = &'t Entry<'t>>) {
    text.push('{');
    let mut is_first = true;
    if let Some(id) = id {
        text.push_str("\"id\":");
        write_text(text, id.as_str());
        is_first = false;
    }
    for entry in entries {
        if !std::mem::take(&mut is_first) {
            text.push(',');
        }
        write_entry(text, entry);
    }
    text.push('}');
}

fn write_entry(text: &mut String, (key, value): &Entry<'_>) {
    write_text(text, &key.text);
    text.push(':');
    write(text, value);
}

/// The depth of a tree is bounded, so this may call itself.
fn write(text: &mut String, tree: &Tree<'_>) {
    match &tree.value {
        Value::Null => text.push_str("null"),
        Value::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => text.push_str(number),
        Value::String(string) => write_text(text, string),
        Value::List(items) => {
            text.push('[');
            for (number, item) in items.iter().enumerate() {
                if number > 0 {
                    text.push(',');
                }
                write(text, item);
            }
            text.push(']');
        }
        Value::Map(entries) => write_map(text, None, entries.iter()),
    }
}

fn write_text(text: &mut String, string: &str) {
    text.push_str(&serde_json::Value::from(string).to_string());
}

#[cfg(test)]
mod tests {
    use antfarm_model::document::{self, parse};
    use antfarm_model::{Graph, Limits};
    use expect_test::expect;

    use super::*;

    const GRAPH: &str = "
on_failure: continue
nodes:
  fetch: {tool: echo, args: {big: 12345678901234567890, text: \"a\\nb\"}, retries: 0}
  fan: {tool: noop, array: {count: 3}, after: [fetch]}
id: nightly
";

    fn tree(text: &str) -> Tree<'_> {
        parse(text.as_bytes(), &Limits::default()).expect("a sound document")
    }

    fn graph(text: &str) -> Graph {
        document::graph(text.as_bytes(), &Limits::default()).expect("a sound graph")
    }

    #[test]
    fn yaml_becomes_the_same_graph_in_json() {
        let text = json(&tree(GRAPH), None);
        let expected = expect![[
            r#"{"on_failure":"continue","nodes":{"fetch":{"tool":"echo","args":{"big":12345678901234567890,"text":"a\nb"},"retries":0},"fan":{"tool":"noop","array":{"count":3},"after":["fetch"]}},"id":"nightly"}"#
        ]];
        expected.assert_eq(&text);
        assert_eq!(graph(&text), graph(GRAPH));
    }

    #[test]
    fn a_large_graph_has_a_line_for_each_node() {
        let text = ndjson(&tree(GRAPH), None);
        let expected = expect![[r#"
            {"on_failure":"continue","id":"nightly"}
            {"id":"fetch","tool":"echo","args":{"big":12345678901234567890,"text":"a\nb"},"retries":0}
            {"id":"fan","tool":"noop","array":{"count":3},"after":["fetch"]}
        "#]];
        expected.assert_eq(&text);
        let parsed = document::parse_ndjson_graph(text.as_bytes(), &Limits::default());
        assert_eq!(parsed.as_ref(), Ok(&graph(GRAPH)));
        let listed = r#"{"id": "nightly", "nodes": [{"id": "a", "tool": "noop"}]}"#;
        assert_eq!(ndjson(&tree(listed), None), "{\"id\":\"nightly\"}\n{\"id\":\"a\",\"tool\":\"noop\"}\n");
    }

    #[test]
    fn another_id_takes_the_place_of_the_one_that_stands_there() {
        let id = Name::new("other").expect("a valid name");
        assert_eq!(graph(&json(&tree(GRAPH), Some(&id))), Graph { id: id.clone(), ..graph(GRAPH) });
        assert!(ndjson(&tree(GRAPH), Some(&id)).starts_with(r#"{"id":"other","on_failure":"continue"}"#));
        let without = "nodes: {a: {tool: noop}}";
        assert_eq!(json(&tree(without), Some(&id)), r#"{"id":"other","nodes":{"a":{"tool":"noop"}}}"#);
    }
}
