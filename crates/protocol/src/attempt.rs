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

impl fmt::Display for AttemptRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "g{}/n{}[{}]#{}", self.graph, self.node, self.index, self.fence)
    }
}
