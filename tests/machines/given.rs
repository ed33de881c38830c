//! The graph that several specs begin with.

use serde_json::{Value, json};

/// A graph of one array of `append` nodes, which are guarded, with a ledger at a path that all hosts have.
pub(crate) fn append(id: &str, count: usize, ms: u64, path: &str) -> Value {
    let args = json!({"path": path, "ms": ms});
    json!({"id": id, "nodes": {"each": {"tool": "append", "array": {"count": count}, "args": args}}})
}
