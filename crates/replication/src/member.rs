//! Where a member of the Raft configuration is found.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The addresses of a member, as the Raft configuration holds them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Member {
    /// Where its peers reach it (`host:port`).
    pub raft: String,
    /// Where clients and foragers reach it (`host:port`).
    pub http: String,
}

impl fmt::Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.raft)
    }
}
