//! What a queen does that consensus depends on: what her disk holds, what she tells others, how far she is.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// An entry of the log, by its place and its term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct EntryId {
    pub(crate) index: u64,
    pub(crate) term: u64,
}

/// Entries of one term with consecutive indexes, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Span {
    pub(crate) term: u64,
    pub(crate) first: u64,
    pub(crate) last: u64,
}

/// For whom a queen votes in a term, herself included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Ballot {
    pub(crate) term: u64,
    pub(crate) candidate: u16,
}

/// What happens to the disk of a queen. Nothing is written down here before it is durable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DiskStep {
    /// A life begins: what the process read from its disk. The log begins behind `purged`.
    Found {
        ballot: Option<Ballot>,
        log: Vec<Span>,
        purged: u64,
        /// The last index in the snapshot, 0 without one.
        snapshot: u64,
    },
    /// A life ends before it begins: the process does not take its disk for whole, and says so.
    Refused { why: String },
    /// A vote is durable.
    Voted(Ballot),
    /// Entries are durable.
    Kept { entries: Vec<Span> },
    /// All entries behind this one are removed.
    Truncated { after: u64 },
    /// All entries up to this one are removed.
    Purged { upto: u64 },
    /// A snapshot is durable, her own or one that was sent.
    Snapshot { last: EntryId },
    /// A write or a sync failed: nothing behind it is durable any more.
    Failed { what: String },
    /// The disk does not answer from here on.
    Stalled,
    /// It answers again.
    Resumed,
    /// Somebody damaged a file between two lives.
    Damaged { file: String, how: String },
}

/// What a queen tells somebody who relies on it, written down when it leaves her.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Claim {
    /// To a candidate: it has her vote.
    Voted(Ballot),
    /// To a leader of this term: her log is the leader's up to this index. Seen on the wire, or later in what the leader
    /// publishes of her.
    Matched { term: u64, upto: u64 },
    /// As a leader: everything up to this entry is committed.
    Committed { upto: EntryId },
    /// To a forager: this attempt is to be run. The fence without the generation is the index of its assignment.
    Dispatched { epoch: u64, fence: u64 },
}

/// How far a queen is, all by one look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Progress {
    pub(crate) queen: u16,
    pub(crate) life: u32,
    pub(crate) term: u64,
    /// Nothing where nobody can see it.
    pub(crate) purged: Option<u64>,
    /// Nothing where nobody can see it.
    pub(crate) snapshot: Option<u64>,
    pub(crate) applied: u64,
    pub(crate) committed: u64,
    /// Nothing where nobody can see it.
    pub(crate) last: Option<u64>,
}

/// Who votes: one set, or two while a change is under way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Membership {
    /// The index of its entry; of what is seen from outside, the index by which it was seen.
    pub(crate) index: u64,
    pub(crate) voters: Vec<BTreeSet<u16>>,
}
