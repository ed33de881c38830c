//! One change on its way to the disk.

use crate::engine::{Fact, Record};

/// A change that is visible already and waits to be written.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    /// New records, and where the log begins if these are its very first.
    Append {
        start: Option<u64>,
        records: Vec<Record>,
    },
    Truncate(Removed),
    /// The log begins here from now on; what comes before may be removed.
    Purge(u64),
    Vote(Vec<u8>),
    Fact(Fact, Vec<u8>),
}

impl Change {
    /// About how much memory it holds while it waits.
    pub(crate) fn weight(&self) -> usize {
        const FIXED: usize = 64;
        FIXED
            + match self {
                Self::Append { records, .. } => records.iter().map(|record| record.payload.len() + FIXED).sum(),
                Self::Truncate(removed) => removed.lengths.len() * size_of::<u32>(),
                Self::Purge(_) => 0,
                Self::Vote(bytes) | Self::Fact(_, bytes) => bytes.len(),
            }
    }
}

/// Consecutive records that are to be removed.
#[derive(Debug, Clone)]
pub(crate) struct Removed {
    pub(crate) first: u64,
    /// Their payload sizes, from which a writer knows how they were stored.
    pub(crate) lengths: Vec<u32>,
}

impl Removed {
    /// Index and payload size of each.
    pub(crate) fn records(&self) -> impl DoubleEndedIterator<Item = (u64, u32)> + ExactSizeIterator {
        self.lengths.iter().enumerate().map(|(offset, length)| (self.first + offset as u64, *length))
    }
}
