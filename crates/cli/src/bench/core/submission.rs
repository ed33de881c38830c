//! What a large submission costs: to be read, which holds up nobody, and to be applied, which holds up everybody.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use antfarm_model::{Limits, document};
use antfarm_scheduler::{Command, Draft, Drafts, GraphSource};
use serde::Serialize;

use super::farm::{Farm, independent};
use super::memory::{GRAPHS, linked};
use super::snapshot::millis_since;

/// What the submission of one graph costs, in milliseconds, once.
#[derive(Debug, Serialize)]
pub(super) struct Costs {
    /// Beside the state.
    pub(super) read_ms: f64,
    /// While the state can neither be changed nor read.
    pub(super) apply_ms: f64,
}

/// Submits graphs of so many nodes, or a hundredth of them: linked to each other, all ready, or one array.
pub(super) fn measure(nodes: u32) -> BTreeMap<&'static str, Costs> {
    let array = format!("{{\"id\":\"array\"}}\n{{\"id\":\"n\",\"tool\":\"noop\",\"array\":{{\"count\":{nodes}}}}}\n");
    let tools = ["noop".to_owned()];
    BTreeMap::from([
        ("a hundredth, linked", submit(&linked(0, nodes.div_ceil(GRAPHS), "noop"))),
        ("linked", submit(&linked(0, nodes, "noop"))),
        ("ready", submit(&independent("ready", nodes, &tools))),
        ("array", submit(&array)),
    ])
}

fn submit(text: &str) -> Costs {
    let limits = Limits { graph_bytes: 1 << 30, nodes: u32::MAX, ..Limits::default() };
    let graph = document::parse_ndjson_graph(text.as_bytes(), &limits).expect("the graph is sound");
    let bytes: Arc<[u8]> = GraphSource::encode(&graph).into();
    drop(graph);
    let mut farm = Farm::empty();
    let mut drafts = Drafts::default();
    let began = Instant::now();
    drafts.add(Draft::read(vec![Arc::clone(&bytes)]));
    let read_ms = millis_since(began);
    let apply_ms = farm.apply_draft(Command::Submit(GraphSource::Inline(bytes)), &mut drafts);
    assert_eq!(farm.state.graph_count(), 1, "it is there");
    Costs { read_ms, apply_ms }
}
