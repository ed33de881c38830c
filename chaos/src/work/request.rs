//! What a call of a client is to a queen.

use serde_json::{Value, json};

use crate::history::{Call, DecidedVerdict};

/// The path, and what is sent there; nothing is sent to read.
pub(crate) fn request(call: &Call, ledger: &str) -> (String, Option<Value>) {
    match call {
        Call::Submit { graph } => ("/v1/graphs".into(), Some(graph.document(ledger))),
        Call::Conflict { graph } => {
            ("/v1/graphs".into(), Some(json!({"id": graph, "nodes": {"another": {"tool": "noop"}}})))
        }
        Call::Cancel { graph } => (format!("/v1/graphs/{graph}/cancel"), Some(json!({}))),
        Call::Read { graph, stale: false } => (format!("/v1/graphs/{graph}"), None),
        Call::Read { graph, stale: true } => (format!("/v1/graphs/{graph}?consistency=stale"), None),
        Call::Decide { graph, node, fence, verdict, .. } => {
            let ruling = json!({
                "verdict": verdict.as_str(), "fence": fence, "assume_ended": *verdict == DecidedVerdict::Retry,
                "by": "chaos", "why": "somebody must",
            });
            (format!("/v1/graphs/{graph}/nodes/{node}/decide"), Some(ruling))
        }
    }
}
