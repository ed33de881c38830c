//! Node instances and attempts, alone and in ranges.

use std::fmt;
use std::ops::Range;

use antfarm_model::{Fence, GraphNo, NodeNo};
use serde::{Deserialize, Serialize};

/// One index of a node; index 0 is the only one of a node without an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct InstanceId {
    /// The graph.
    pub graph: GraphNo,
    /// The node.
    pub node: NodeNo,
    /// The index.
    pub index: u32,
}

/// A run of instances of one node. A plain node is a run of length 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Instances {
    /// The graph.
    pub graph: GraphNo,
    /// The node.
    pub node: NodeNo,
    /// The first index.
    pub start: u32,
    /// How many, at least 1.
    pub len: u32,
}

/// One try at a node instance: the same instance never has two with one fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AttemptId {
    /// What is tried.
    pub instance: InstanceId,
    /// The log index of the assignment.
    pub fence: Fence,
}

/// One attempt at each of a run of instances, all assigned by one entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Attempts {
    /// What is tried.
    pub instances: Instances,
    /// The log index of the assignment.
    pub fence: Fence,
}

impl Instances {
    /// The run of length 1.
    pub fn one(instance: InstanceId) -> Self {
        Self { graph: instance.graph, node: instance.node, start: instance.index, len: 1 }
    }

    /// The indices; empty where the run would pass the largest index.
    pub fn range(&self) -> Range<u32> {
        self.start.checked_add(self.len).map_or(0..0, |end| self.start..end)
    }

    /// Each instance.
    pub fn iter(&self) -> impl Iterator<Item = InstanceId> + use<> {
        let Self { graph, node, .. } = *self;
        self.range().map(move |index| InstanceId { graph, node, index })
    }
}

impl From<AttemptId> for Attempts {
    fn from(attempt: AttemptId) -> Self {
        Self { instances: Instances::one(attempt.instance), fence: attempt.fence }
    }
}

impl Attempts {
    /// Takes in the attempts that follow these without a gap; tells whether they do.
    pub(crate) fn join(&mut self, next: &Self) -> bool {
        let follows = self.fence == next.fence
            && (self.instances.graph, self.instances.node) == (next.instances.graph, next.instances.node)
            && self.instances.start.checked_add(self.instances.len) == Some(next.instances.start);
        if follows {
            self.instances.len += next.instances.len;
        }
        follows
    }

    /// Each attempt.
    pub fn iter(&self) -> impl Iterator<Item = AttemptId> + use<> {
        let fence = self.fence;
        self.instances.iter().map(move |instance| AttemptId { instance, fence })
    }
}

impl fmt::Display for InstanceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "g{}/n{}[{}]", self.graph, self.node, self.index)
    }
}

impl fmt::Display for AttemptId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.instance, self.fence)
    }
}
