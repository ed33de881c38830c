//! Hostile bytes for what queens answer.

use std::fmt::Debug;

use antfarm_fuzzing::Target;
use bytes::Bytes;
use hyper::StatusCode;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::answer::Answer;
use crate::error::Problem;
use crate::sse::{Message, Parser};
use crate::views::{AttemptPage, ClusterView, ExplanationView, ForagerPage, GraphPage, NodePage, ResultPage, ToolPage};

const FOLDER: &str = env!("CARGO_MANIFEST_DIR");

/// A list that grows is there twice, once of them with room for as much again.
const GROWTH: usize = 3;

/// What a map of one entry takes in a tree of JSON values: a node of a B-tree, with places for eleven entries.
const MAP_BYTES: usize = 11 * (size_of::<String>() + size_of::<serde_json::Value>()) + 16;

const TOKENS: &[&str] =
    &["{", "}", "[", "]", ",", ":", "null", "\"\"", "\\u0000", "\\ud800", "0", "-1", "1e400", "\"id\":"];

#[test]
fn event_streams() {
    let parse = |bytes: &[u8], size: usize| {
        let mut parser = Parser::default();
        let pieces = bytes.chunks(size).map(|piece| parser.take(piece));
        pieces.collect::<Result<Vec<Vec<Message>>, _>>().ok().map(|all| all.concat())
    };
    Target::new(FOLDER, "event_streams")
        .sample("retry: 500\n\n: alive\nid: 7\n\ndata: {\"a\":1}\r\n\r\nid: 9\ndata:x\ndata: y\n\n")
        .tokens(&["\n", "\r\n", "data: ", "id:", "\n\n", ":", "event: x\n", "\u{feff}"])
        .takes(2 * GROWTH * size_of::<Message>() / 4)
        .dense(|elements| "id\n\n".repeat(elements).into())
        .dense(|elements| "data\n".repeat(elements).into())
        .dense(|elements| [b"data:".to_vec(), vec![0xff; elements]].concat())
        .run(
            move |bytes| parse(bytes, bytes.len().max(1)),
            move |bytes, messages| {
                if bytes.len() < 10_000 {
                    assert_eq!(parse(bytes, 3), Some(messages), "in pieces it is the same");
                }
            },
        );
}

#[test]
fn documents_of_events() {
    Target::new(FOLDER, "documents_of_events")
        .sample(r#"{"type": "instances", "graph": "g", "from": "ready", "ids": [["a", 1], {"b": null}], "n": -1.5e3}"#)
        .tokens(TOKENS)
        .takes(MAP_BYTES / 7 + GROWTH * size_of::<serde_json::Value>() / 2)
        .dense(|elements| format!("[{}0]", "0,".repeat(elements)).into())
        .dense(|elements| format!("[{}0]", "{\"\":0},".repeat(elements)).into())
        .run(
            |bytes| serde_json::from_str::<serde_json::Value>(std::str::from_utf8(bytes).ok()?).ok(),
            |_, value| {
                drop(serde_json::from_str::<serde_json::Value>(&value.to_string()).expect("it was just written"));
            },
        );
}

#[test]
fn problems() {
    let answer = |bytes: &[u8]| Answer {
        server: "q:1".into(),
        status: StatusCode::CONFLICT,
        index: None,
        leader: None,
        body: Bytes::copy_from_slice(bytes),
    };
    Target::new(FOLDER, "problems")
        .sample(r#"{"type": "urn:antfarm:conflict", "title": "conflict", "status": 409, "detail": "so", "faults": [{"path": "a", "line": 1, "column": 2, "message": "m"}]}"#)
        .sample("<html>no JSON</html>")
        .tokens(TOKENS)
        .takes(8)
        .dense(|elements| vec![0xff; elements])
        .run(
            move |bytes| answer(bytes).problem(),
            |_, problem: Problem| {
                let _ = (problem.to_string(), problem.kind().len());
            },
        );
}

#[test]
fn answers() {
    fn again<T: Serialize + DeserializeOwned + PartialEq + Debug>(bytes: &[u8]) -> bool {
        let Ok(value) = serde_json::from_slice::<T>(bytes) else { return false };
        let json = serde_json::to_vec(&value).expect("views are JSON");
        assert_eq!(serde_json::from_slice::<T>(&json).expect("it was just written"), value);
        true
    }
    Target::new(FOLDER, "answers")
        .samples([
            r#"{"graphs": [{"id": "g", "state": "running", "submitted_at": "t", "finished_at": null, "nodes": {"total": 1, "waiting": 0, "ready": 1, "assigned": 0, "running": 0, "succeeded": 0, "failed": 0, "expired": 0, "cancelled": 0, "skipped": 0, "needs_decision": 0}, "number": 1, "digest": "d", "on_failure": "continue", "on_deadline": "continue", "warnings": [{"path": "p", "message": "m"}]}], "next": "g"}"#,
            r#"{"nodes": [{"graph": "g", "id": "a", "node": "a", "index": null, "tool": "t", "class": "cpu", "effects": "pure", "state": "ready", "attempts": 0, "failures": 0, "forager": null, "fence": 7, "deadline": null, "not_before": null, "timeout": "1m", "retries": 3, "pin": null, "reason": null, "needs": ["b"], "args": {"x": [1]}, "result": null}]}"#,
            r#"{"results": [{"id": "a[0]", "result": [1, {"x": null}]}], "next": null}"#,
            r#"{"foragers": [{"name": "f", "state": "ready", "incarnation": 1, "slots": 4, "free_slots": 4, "class_slots": {"cpu": 1, "io": null, "model": null}, "open_attempts": {"cpu": 0, "io": 0, "model": 0}, "tools": ["t"], "draining": false, "rejects": 0, "heard_ms_ago": 5}]}"#,
            r#"{"tools": [{"name": "t", "cost_class": "cpu"}]}"#,
            r#"{"attempts": [{"fence": 1, "epoch": 1, "forager": "f", "state": "open", "manner": null, "assigned_at": "t", "started_at": null, "closed_at": null, "message": null}], "older": [{"state": "closed", "manner": "lost", "count": 3}]}"#,
            r#"{"id": "a", "state": "ready", "reason": "no_forager", "explanation": "e", "change": null, "deadline": null, "foragers": [{"name": "f", "obstacle": "full", "left_ms": 5}]}"#,
            r#"{"cluster_id": "c", "leader": 1, "term": 2, "members": [{"id": 1, "role": "leader", "voter": true, "http": "h:1", "raft": "r:1", "term": 2, "last_log_index": 3, "applied_index": 3, "reachable": true, "clock_skew_ms": -1}], "commit_index": 3, "applied_index": 3, "state_digest": "d", "ready": {"cpu": 0, "io": 0, "model": 0}, "open_attempts": 0}"#,
        ])
        .tokens(TOKENS)
        .takes(24)
        .dense(|elements| format!("{{\"results\": [{}{{\"id\":\"\",\"result\":0}}]}}", "{\"id\":\"\",\"result\":0},".repeat(elements)).into())
        .dense(|elements| format!("{{\"foragers\": [], \"next\": \"{}\"}}", "\\n".repeat(elements)).into())
        .run(
            |bytes| {
                let all = [
                    again::<GraphPage>(bytes),
                    again::<NodePage>(bytes),
                    again::<ResultPage>(bytes),
                    again::<ForagerPage>(bytes),
                    again::<ToolPage>(bytes),
                    again::<AttemptPage>(bytes),
                    again::<ExplanationView>(bytes),
                    again::<ClusterView>(bytes),
                ];
                all.contains(&true).then_some(())
            },
            |_, ()| (),
        );
}
