//! What the Raft log holds: commands with the epoch and the time of their decision.

use antfarm_model::{Elapsed, Epoch, LogIndex, WallTime};
use serde::{Deserialize, Serialize};

use crate::codec::{self, CodecError, Kind};
use crate::command::Command;

/// A place in the Raft log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Position {
    /// The index.
    pub index: LogIndex,
    /// The term of the entry there.
    pub term: u64,
}

/// The payload of a Raft entry. One without commands only moves the clocks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The leadership that decided.
    pub epoch: Epoch,
    /// The leader's reading of the cluster's wall clock.
    pub wall: WallTime,
    /// The leader's reading of the cluster's own counter.
    pub elapsed: Elapsed,
    /// What is to be done, in order.
    pub commands: Vec<Command>,
}

impl Entry {
    /// The bytes that the log holds.
    pub fn encode(&self) -> Vec<u8> {
        codec::encode(Kind::Entry, self)
    }

    /// Reads what [`Entry::encode`] wrote.
    pub fn decode(bytes: &[u8]) -> Result<Self, CodecError> {
        codec::decode(Kind::Entry, bytes)
    }
}
