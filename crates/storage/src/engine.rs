//! The narrow trait behind which the Raft log, the vote and small facts are kept.

use bytes::Bytes;

use crate::StorageError;
use crate::sync_times::{Clock, SyncTimes};

/// One log record: an opaque payload at an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its place in the log.
    pub index: u64,
    /// What the caller gave, at most [`MAX_RECORD_BYTES`].
    pub payload: Bytes,
}

/// The largest payload of one record.
pub const MAX_RECORD_BYTES: usize = 64 << 20;

/// The largest vote, and the largest value of a fact.
pub const MAX_FACT_BYTES: usize = 4 << 10;

/// Called once, from any thread, when everything queued before it is durable, or with the error that ends the engine.
///
/// It runs on the engine's writer thread, or on the caller's: it must be short, must not block, and must not append.
pub type OnDurable = Box<dyn FnOnce(Result<(), StorageError>) + Send + 'static>;

/// Which records of a log are readable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The first record that is not purged; where an empty log begins.
    pub first: u64,
    /// The last record, if there is any.
    pub last: Option<u64>,
}

impl Bounds {
    /// The index that the next record takes.
    pub fn next(&self) -> u64 {
        self.last.map_or(self.first, |last| last + 1)
    }
}

/// A small value with a name of its own, kept beside the log and ordered with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fact {
    /// How far the log is known to be committed.
    Committed,
    /// What was purged from the log, in the caller's words.
    Purged,
    /// Which cluster and which member this folder belongs to.
    Identity,
    /// What is known about the disk of a member, by its id.
    PeerDisk(u64),
}

impl Fact {
    /// The stored name. Numbers are only ever added.
    pub(crate) fn key(self) -> [u8; 9] {
        let (kind, number) = match self {
            Self::Committed => (1, 0),
            Self::Purged => (2, 0),
            Self::Identity => (3, 0),
            Self::PeerDisk(member) => (4, member),
        };
        let mut key = [kind; 9];
        key[1..].copy_from_slice(&u64::to_be_bytes(number));
        key
    }

    /// The fact of a stored name.
    pub(crate) fn from_key(key: [u8; 9]) -> Option<Self> {
        let [kind, number @ ..] = key;
        match (kind, u64::from_be_bytes(number)) {
            (1, 0) => Some(Self::Committed),
            (2, 0) => Some(Self::Purged),
            (3, 0) => Some(Self::Identity),
            (4, member) => Some(Self::PeerDisk(member)),
            (_, _) => None,
        }
    }
}

/// A durable log with a vote and small facts. It knows order and durability, and nothing of Raft.
///
/// All changes go through one queue in the order of the calls, whichever thread makes them. A change is visible to every
/// reader when its call returns, and durable when its [`OnDurable`] is called; the calls come in the same order. Several
/// changes share one sync.
///
/// The first failed write or sync ends the engine: that change and every later one are answered with an error, nothing
/// is retried, and reads fail too. The process should say so and exit. [`StorageError::OutOfOrder`] and
/// [`StorageError::TooLarge`] only refuse one change, at once, and leave everything as it was.
pub trait LogEngine: Send + Sync + 'static {
    /// Appends records with consecutive indices after the last one ([`Bounds::next`]).
    ///
    /// May block the calling thread while more than the engine's named bound waits to be written.
    fn append(&self, records: Vec<Record>, on_durable: OnDurable);

    /// The readable records with `from <= index < to`, in order: at least one if there is one, then as many as fit
    /// into about `max_bytes` of payload.
    fn read(&self, from: u64, to: u64, max_bytes: usize) -> Result<Vec<Record>, StorageError>;

    /// Which records are readable.
    fn bounds(&self) -> Bounds;

    /// Removes the records after `index`, or all of them for `None`. What is not there is no error.
    fn truncate_after(&self, index: Option<u64>, on_durable: OnDurable);

    /// Removes the records up to and including `index`. Beyond the last record, it also moves the log's beginning to
    /// `index + 1`; before the first, it does nothing.
    fn purge_to(&self, index: u64, on_durable: OnDurable);

    /// Keeps a vote in place of the former one.
    fn save_vote(&self, vote: Vec<u8>, on_durable: OnDurable);

    /// The vote that was saved last.
    fn vote(&self) -> Option<Vec<u8>>;

    /// Keeps the value of a fact in place of the former one.
    fn save_fact(&self, fact: Fact, value: Vec<u8>, on_durable: OnDurable);

    /// The value of a fact that was saved last.
    fn fact(&self, fact: Fact) -> Option<Vec<u8>>;

    /// Bytes of payload between the first and the last record.
    fn log_bytes(&self) -> u64;

    /// Times every sync from now on, by the first clock that it is given. An engine without a disk has nothing to time.
    fn time_syncs(&self, _clock: Clock) {}

    /// How long the timed syncs took.
    fn sync_times(&self) -> SyncTimes {
        SyncTimes::default()
    }
}
