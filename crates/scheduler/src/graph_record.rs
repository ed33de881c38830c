//! What is known of one submitted graph.

use std::sync::Arc;

use antfarm_model::{Elapsed, GraphNo, NodeNo, RenderError, Results, WallTime, render};
use serde::{Deserialize, Serialize};

use crate::chunked::Chunked;
use crate::instance::{Instance, InstanceState};
use crate::instances::InstanceId;
use crate::shape::Shape;

/// The state of a graph, as people see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GraphState {
    /// Its nodes are being run.
    Running,
    /// Nothing more is assigned until it is resumed.
    Paused,
    /// Every node succeeded.
    Succeeded,
    /// A node failed.
    Failed,
    /// Somebody cancelled it.
    Cancelled,
    /// A deadline passed.
    Expired,
}

impl GraphState {
    /// The name in documents.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Expired => "expired",
        }
    }
}

impl std::fmt::Display for GraphState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

/// How far a graph is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum GraphPhase {
    /// Its nodes are being run.
    Running,
    /// Nothing more is assigned.
    Paused,
    /// Its fate is sealed, never `Running` or `Paused`; what still runs is being cancelled.
    Stopped(GraphState),
}

/// The number of instances in each state, by the order of [`InstanceState::ALL`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts([u32; InstanceState::ALL.len()]);

impl Counts {
    /// The number of instances in `state`.
    pub const fn of(&self, state: InstanceState) -> u32 {
        self.0[state as usize]
    }

    /// The number of all instances.
    pub fn total(&self) -> u32 {
        self.0.iter().sum()
    }

    pub(crate) fn add(&mut self, state: InstanceState, number: u32) {
        self.0[state as usize] += number;
    }

    pub(crate) fn shift(&mut self, from: InstanceState, to: InstanceState) {
        self.shift_many(from, to, 1);
    }

    pub(crate) fn shift_many(&mut self, from: InstanceState, to: InstanceState, number: u32) {
        self.0[from as usize] -= number;
        self.0[to as usize] += number;
    }

    fn pour(&mut self, from: InstanceState, to: InstanceState) {
        self.0[to as usize] += std::mem::take(&mut self.0[from as usize]);
    }
}

/// How far a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NodeProgress {
    /// Dependencies that are not settled.
    pub unresolved: u32,
    /// Instances that are not settled: no result, nor anything that counts as one.
    pub unsettled: u32,
    /// It will never run, because of a node that it needs.
    pub skipped: bool,
}

/// A submitted graph.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphRecord {
    /// The number.
    pub no: GraphNo,
    /// When it was submitted, by the cluster's wall clock.
    pub submitted_at: WallTime,
    /// Since when nothing more happens to it: by the wall clock, and by the cluster's counter.
    pub finished_at: Option<(WallTime, Elapsed)>,
    /// The digest of its canonical form.
    pub digest: [u8; 32],
    /// How far it is.
    pub phase: GraphPhase,
    /// The instance that sealed its fate, if one did before all had ended.
    pub stopped_by: Option<InstanceId>,
    pub(crate) shape: Arc<Shape>,
    pub(crate) counts: Counts,
    pub(crate) progress: Chunked<NodeProgress>,
    pub(crate) instances: Chunked<Instance>,
}

impl Results for GraphRecord {
    fn array(&self, node: NodeNo) -> Option<u32> {
        self.shape.node(node)?.array
    }

    fn result(&self, node: NodeNo, index: u32) -> Option<&str> {
        self.instance(node, index)?.result().map(AsRef::as_ref)
    }
}

impl GraphRecord {
    /// The longest arguments after results have taken the places of the references, in bytes.
    pub const MAX_ARGS_BYTES: usize = 1 << 20;

    /// What never changes of it.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The state, as people see it.
    pub fn state(&self) -> GraphState {
        match self.phase {
            GraphPhase::Running => GraphState::Running,
            GraphPhase::Paused => GraphState::Paused,
            GraphPhase::Stopped(state) => state,
        }
    }

    /// The number of instances in each state, as people see them.
    pub fn counts(&self) -> Counts {
        let mut counts = self.counts;
        for from in [InstanceState::Waiting, InstanceState::Ready] {
            let to = self.shown(from);
            if to != from {
                counts.pour(from, to);
            }
        }
        counts
    }

    /// An instance; `None` if there is no such index.
    pub fn instance(&self, node: NodeNo, index: u32) -> Option<&Instance> {
        self.instances.get(self.shape.position(node, index)?)
    }

    /// Every instance, in order. O(n).
    pub(crate) fn each_instance(&self) -> impl Iterator<Item = (InstanceId, &Instance)> {
        let graph = self.no;
        let of = move |node, count| (0..count).map(move |index| InstanceId { graph, node, index });
        let ids = self.shape.nodes().flat_map(move |(node, spec)| of(node, spec.instances()));
        ids.zip(self.instances.iter())
    }

    /// The state of an instance, as people see it: what a stopped graph never started is cancelled or skipped, and
    /// nothing of a paused graph is ready.
    pub fn state_of(&self, instance: &Instance) -> InstanceState {
        self.shown(instance.state)
    }

    fn shown(&self, state: InstanceState) -> InstanceState {
        let unstarted = matches!(state, InstanceState::Waiting | InstanceState::Ready);
        match self.phase {
            GraphPhase::Stopped(GraphState::Cancelled) if unstarted => InstanceState::Cancelled,
            GraphPhase::Stopped(_) if unstarted => InstanceState::Skipped,
            GraphPhase::Paused if unstarted => InstanceState::Waiting,
            GraphPhase::Running | GraphPhase::Paused | GraphPhase::Stopped(_) => state,
        }
    }

    /// The arguments of a node as JSON, with results in the places of the references.
    ///
    /// # Errors
    /// A result is missing, has no such part, or makes the arguments longer than [`GraphRecord::MAX_ARGS_BYTES`].
    pub fn arguments(&self, node: NodeNo) -> Result<String, RenderError> {
        match self.shape.node(node) {
            Some(spec) => render(spec.json(), spec.references(), self, Self::MAX_ARGS_BYTES),
            None => Ok("null".into()),
        }
    }

    /// How far a node is.
    pub fn progress(&self, node: NodeNo) -> Option<&NodeProgress> {
        self.progress.get(node.0 as usize)
    }

    /// Whether something may still happen to one of its instances.
    pub(crate) fn has_unfinished(&self) -> bool {
        let unfinished = [InstanceState::Assigned, InstanceState::Running, InstanceState::NeedsDecision];
        let unstarted = [InstanceState::Waiting, InstanceState::Ready];
        unfinished.iter().any(|state| self.counts.of(*state) > 0)
            || (!matches!(self.phase, GraphPhase::Stopped(_))
                && unstarted.iter().any(|state| self.counts.of(*state) > 0))
    }

    pub(crate) fn instance_mut(&mut self, id: InstanceId) -> Option<&mut Instance> {
        self.instances.get_mut(self.shape.position(id.node, id.index)?)
    }

    pub(crate) fn progress_mut(&mut self, node: NodeNo) -> Option<&mut NodeProgress> {
        self.progress.get_mut(node.0 as usize)
    }
}
