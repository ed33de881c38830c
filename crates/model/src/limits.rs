//! Bounds of what is accepted from outside.

use serde::{Deserialize, Serialize};

/// How large things may be. Every one is a refusal with its name when it is exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The text of a graph, in bytes.
    pub graph_bytes: u64,
    /// Nodes of a graph; its instances count ten to the node.
    pub nodes: u32,
    /// A Raft entry, in bytes.
    pub entry_bytes: u32,
    /// A result, in bytes of JSON.
    pub result_bytes: u32,
    /// A frame between processes, in bytes.
    pub frame_bytes: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            graph_bytes: 32 << 20,
            nodes: 1_000_000,
            entry_bytes: 1 << 20,
            result_bytes: 64 << 10,
            frame_bytes: 4 << 20,
        }
    }
}

impl Limits {
    /// Instances that a graph may have in all.
    pub fn instances(&self) -> u64 {
        u64::from(self.nodes) * 10
    }
}
