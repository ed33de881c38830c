//! Events as people and programs read them: names instead of numbers.

use antfarm_model::LogIndex;
use antfarm_scheduler::{Event, State};
use serde::Serialize;

use super::Published;

/// One line of the event stream. `type` says which fields there are.
#[derive(Debug, Default, Serialize)]
struct Document<'a> {
    index: u64,
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    graph: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<&'a str>,
    /// The first instance and how many, of an array node.
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u32>,
    /// The state that all these instances were in before.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finished: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    forager: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fence: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<&'a str>,
    /// Why an attempt was rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

/// The documents of events of one entry. What is about a graph that is gone by now is left out.
pub(super) fn documents(state: &State, index: LogIndex, events: &[Event]) -> Vec<Published> {
    events.iter().filter_map(|event| document(state, index, event)).collect()
}

fn document(state: &State, index: LogIndex, event: &Event) -> Option<Published> {
    let new = |r#type| Document { index: index.0, r#type, ..Document::default() };
    let (graph, document) = match event {
        Event::Graph { graph, state: now, finished } => {
            let id = &state.graph(*graph)?.shape().graph().id;
            let (now, finished) = (Some(now.as_str()), Some(*finished));
            (Some(id), Document { graph: Some(id.as_str()), state: now, finished, ..new("graph") })
        }
        Event::GraphRemoved { id, .. } => (Some(id), Document { graph: Some(id.as_str()), ..new("graph_removed") }),
        Event::Instances { instances, from, state: now, attempt } => {
            let shape = state.graph(instances.graph)?.shape();
            let (id, node) = (&shape.graph().id, shape.node(instances.node)?);
            let document = Document {
                graph: Some(id.as_str()),
                node: Some(node.id),
                first: node.array.map(|_| instances.start),
                count: node.array.map(|_| instances.len),
                from: Some(from.as_str()),
                state: Some(now.as_str()),
                forager: attempt.and_then(|(forager, _)| Some(state.forager(forager)?.name.as_str())),
                fence: attempt.map(|(_, fence)| fence.0),
                ..new("node")
            };
            (Some(id), document)
        }
        Event::Forager { forager, state: now } => {
            let name = state.forager(*forager)?.name.as_str();
            (None, Document { forager: Some(name), state: Some(now.as_str()), ..new("forager") })
        }
        Event::Rejected { forager, attempts, number, reason } => {
            let shape = state.graph(attempts.instances.graph)?.shape();
            let (id, node) = (&shape.graph().id, shape.node(attempts.instances.node)?);
            let document = Document {
                graph: Some(id.as_str()),
                node: Some(node.id),
                first: node.array.map(|_| attempts.instances.start),
                count: node.array.map(|_| *number),
                forager: state.forager(*forager).map(|forager| forager.name.as_str()),
                fence: Some(attempts.fence.0),
                reason: Some(reason.as_str()),
                ..new("rejected")
            };
            (Some(id), document)
        }
        Event::ForagerForgotten { name, .. } => {
            (None, Document { forager: Some(name.as_str()), ..new("forager_forgotten") })
        }
        Event::Tool { name } => (None, Document { tool: Some(name.as_str()), ..new("tool") }),
    };
    let json = serde_json::to_string(&document).expect("texts and numbers can be written").into();
    Some(Published { index, graph: graph.cloned(), json })
}
