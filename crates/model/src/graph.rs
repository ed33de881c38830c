//! A task graph as it is submitted, checked and compiled: names of nodes have become numbers.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Name, NodeNo, Span, WallTime};

/// What a failed node does to the rest of its graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// The graph fails: what runs is cancelled, what waits is skipped.
    #[default]
    FailGraph,
    /// Only the successors of the failed node are skipped.
    Continue,
}

/// What an expired node does to the rest of its graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnDeadline {
    /// The graph expires: what runs is cancelled, what waits is skipped.
    #[default]
    FailGraph,
    /// The successors of the expired node are skipped; the graph expires at its end.
    SkipSuccessors,
    /// Successors that only come `after` the expired node run; those that need its result are skipped.
    Continue,
}

/// A checked task graph. The order of `nodes` is the submission order; a [`NodeNo`] is a position in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Graph {
    /// The name, which is also the submission's idempotency key.
    pub id: Name,
    /// What a failed node does to the rest.
    pub on_failure: OnFailure,
    /// What an expired node does to the rest.
    pub on_deadline: OnDeadline,
    /// At least one node; no cycle among their dependencies.
    pub nodes: Vec<Node>,
}

/// A vertex: one call of a tool, or an array of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// The name, unique in its graph.
    pub id: Name,
    /// The tool that it calls.
    pub tool: Name,
    /// What the tool is given.
    pub args: Args,
    /// Nodes that must have succeeded before, without duplicates; those of `args.references` are not repeated here.
    pub after: Vec<Dependency>,
    /// After this moment the node expires.
    pub deadline: Option<WallTime>,
    /// Before this moment the node is not ready.
    pub not_before: Option<WallTime>,
    /// The longest run of an attempt; the manifest's, if none.
    pub timeout: Option<Span>,
    /// Further tries after the first; the manifest's, if none.
    pub retries: Option<u32>,
    /// The only forager that may run it.
    pub pin: Option<Name>,
    /// The number of instances, at least 1, if the node is an array.
    pub array: Option<u32>,
}

impl Node {
    /// The number of instances: 1, unless the node is an array.
    pub fn instances(&self) -> u32 {
        self.array.unwrap_or(1)
    }
}

/// A node that another one waits for, or one instance of an array node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Dependency {
    /// The node.
    pub node: NodeNo,
    /// The instance; all of them, if none.
    pub index: Option<u32>,
}

impl Dependency {
    /// The whole node, whichever instance this is.
    #[must_use]
    pub const fn all(self) -> Self {
        Self { node: self.node, index: None }
    }
}

/// Arguments as canonical JSON (no spaces; keys in document order) with the places of the references in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Args {
    /// The JSON text. Where a reference stands, there is `null`.
    pub json: Arc<str>,
    /// The references, by rising `at`.
    pub references: Vec<Reference>,
}

/// A use of another node's result inside [`Args`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// The byte offset in `json` of the `null` that the result replaces.
    pub at: u32,
    /// Whose result. A reference to an array node without an index is the list of its results.
    pub of: Dependency,
    /// The part of the result, as an RFC 6901 JSON pointer (`/rows/0`); the whole, if none.
    pub pointer: Option<Arc<str>>,
}
