//! Which attempt a message speaks of.

use std::fmt;

use antfarm_model::{Fence, GraphNo, NodeNo};
use serde::{Deserialize, Serialize};

/// The identity of an attempt; matched in full, never in part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AttemptRef {
    /// The graph.
    pub graph: GraphNo,
    /// The node.
    pub node: NodeNo,
    /// The index; 0 where the node is no array.
    pub index: u32,
    /// The fencing token.
    pub fence: Fence,
}

impl AttemptRef {
    /// Whether the other one was assigned with this one, at the next index of the same node.
    pub(crate) fn is_followed_by(&self, next: &Self) -> bool {
        self.index.checked_add(1).is_some_and(|index| Self { index, ..*self } == *next)
    }
}

impl fmt::Display for AttemptRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "g{}/n{}[{}]#{}", self.graph, self.node, self.index, self.fence)
    }
}
