//! Any bytes, and any JSON: nothing panics, and the readers agree with others.

use antfarm_model::{Graph, Limits, WallTime, document, pointer};
use proptest::prelude::*;
use serde_json::Value;

use super::{accept, json};

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..8)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Texts made of what has a meaning in JSON and YAML.
fn any_syntax() -> impl Strategy<Value = String> {
    let pieces = [
        "{", "}", "[", "]", ":", ": ", ",", "- ", "? ", "\"", "'", "\\", "\\u", "d800", "\n", "\n  ", "\r\n", "\t",
        " ", "#", "&a", "*a", "!t", "<<", "|", ">", "%", "@", "---", "...", "0", "-1.5e3", ".inf", "null", "true", "a",
        "é", "\u{feff}", "\0", "id", "nodes", "tool", "args", "$ref", "after", "array", "count",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..40).prop_map(|pieces| pieces.concat())
}

/// A graph document of a few nodes that wait for earlier ones.
fn any_graph() -> impl Strategy<Value = String> {
    let node = (any_json(), 0..5_u32, any::<prop::sample::Index>(), prop::option::of(0..1000_u32), any::<bool>());
    prop::collection::vec(node, 1..10).prop_map(|nodes| {
        let nodes: Vec<Value> = (0..)
            .zip(nodes)
            .map(|(number, (args, count, earlier, retries, refers)): (usize, _)| {
                let mut node = serde_json::json!({"id": format!("n{number}"), "tool": "t"});
                if count > 0 {
                    node["array"] = serde_json::json!({"count": count});
                }
                if let Some(retries) = retries {
                    node["retries"] = retries.into();
                    node["deadline"] = WallTime(u64::from(retries) * 12_345).to_string().into();
                }
                if number > 0 {
                    let earlier = format!("n{}", earlier.index(number));
                    let reference = serde_json::json!({"$ref": format!("{earlier}#/a~1b")});
                    node[if refers { "args" } else { "after" }] =
                        if refers { serde_json::json!([args, reference]) } else { serde_json::json!([earlier]) };
                } else {
                    node["args"] = args;
                }
                node
            })
            .collect();
        serde_json::json!({"id": "g", "nodes": nodes}).to_string()
    })
}

fn same_graph(text: &str) -> Graph {
    let graph = accept(text);
    assert_eq!(accept(&graph.to_json()), graph);
    graph
}

proptest! {
    #[test]
    fn no_bytes_cause_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = document::graph(&bytes, &Limits::default());
        let _ = document::parse_ndjson_graph(&bytes, &Limits::default());
    }

    #[test]
    fn no_syntax_causes_a_panic(text in any_syntax()) {
        let _ = document::graph(text.as_bytes(), &Limits::default());
        let _ = document::parse_ndjson_graph(text.as_bytes(), &Limits::default());
        let _ = pointer::find(&text, "/a/0");
    }

    #[test]
    fn both_readers_accept_the_same_json(text in any_syntax()) {
        // What is no JSON may be YAML, so only one direction can be seen from here.
        if serde_json::from_str::<&serde_json::value::RawValue>(&text).is_ok() {
            let read = document::parse(text.as_bytes(), &Limits::default());
            prop_assert!(read.is_ok() || super::lines(&read.expect_err("not read")).contains("stands here again"));
        }
    }

    #[test]
    fn json_is_read_as_others_read_it(value in any_json(), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
        let text = format!("[{}]", text.expect("a value is JSON"));
        let tree = document::parse(text.as_bytes(), &Limits::default()).expect("valid JSON");
        let again: Value = serde_json::from_str(&json(&tree)).expect("written as JSON");
        prop_assert_eq!(again, serde_json::from_str::<Value>(&text).expect("valid JSON"));
    }

    #[test]
    fn a_graph_survives_being_written(text in any_graph()) {
        let graph = same_graph(&text);
        prop_assert_eq!(graph.digest(), same_graph(&graph.to_json()).digest());
    }

    #[test]
    fn a_pointer_finds_what_others_find(value in any_json(), steps in prop::collection::vec("[a~/0-9]{0,3}", 0..4)) {
        let text = value.to_string();
        let escape = |step: &String| format!("/{}", step.replace('~', "~0").replace('/', "~1"));
        let pointer = steps.iter().map(escape).collect::<Vec<_>>().concat();
        let found = pointer::find(&text, &pointer).map(|part| serde_json::from_str::<Value>(part).expect("a part is JSON"));
        let text_value: Value = serde_json::from_str(&text).expect("valid JSON");
        prop_assert_eq!(found.as_ref(), text_value.pointer(&pointer));
    }

    #[test]
    fn a_span_survives_being_written(milliseconds in 0..=antfarm_model::Span::MAX.0) {
        let span = antfarm_model::Span(milliseconds);
        prop_assert_eq!(span.to_string().parse(), Ok(span));
    }
}
