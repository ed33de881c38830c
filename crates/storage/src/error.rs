//! What storage can fail with, and what the reader of the message should do.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::engine_name::EngineName;

/// Why storage could not do what was asked. Cheap to clone, since one failure answers many callers.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StorageError {
    /// The operating system refused an operation.
    #[error("{operation} {} failed: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was attempted, as a verb.
        operation: &'static str,
        /// The operating system's answer.
        source: Arc<io::Error>,
    },

    /// What is stored is not what was written. It is never used and never skipped.
    #[error(
        "{} is damaged: {what}; nothing of it will be used. If it belongs to a queen, let that queen leave the \
         cluster, wipe its data folder, and join again under a new member id; if it belongs to a forager, wipe its \
         data folder once its attempts are decided",
        path.display()
    )]
    Damaged {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it.
        what: Damage,
    },

    /// Another engine than the one that was asked for wrote the log.
    #[error(
        "{} was written by the log engine \"{found}\", and \"{asked}\" cannot read it; nothing was changed. Set \
         engine = \"{found}\" under [storage]; or, to change the engine, let this queen leave the cluster, wipe its \
         data folder, and join again under a new member id",
        path.display()
    )]
    OtherEngine {
        /// The folder of the log.
        path: PathBuf,
        /// The engine that wrote it.
        found: EngineName,
        /// The engine that was to read it.
        asked: EngineName,
    },

    /// Somebody else holds the lock.
    #[error("{} is locked: another process uses this data folder; stop it, or choose another folder", path.display())]
    Locked {
        /// The lock file.
        path: PathBuf,
    },

    /// An earlier operation failed, which ended this engine or file. Nothing is retried.
    #[error("storage has stopped after an earlier failure ({cause}); mend its cause and restart the process")]
    Failed {
        /// The failure that ended it.
        cause: Arc<StorageError>,
    },

    /// Records were appended that do not follow the last one. Nothing was changed.
    #[error(
        "record {found} was appended where {expected} comes next; nothing was written. This is a bug of the caller"
    )]
    OutOfOrder {
        /// The index that comes next.
        expected: u64,
        /// The index that was given.
        found: u64,
    },

    /// Something is larger than its format allows. Nothing was changed.
    #[error("{bytes} bytes are more than the {limit} that one {item} may have; nothing was written")]
    TooLarge {
        /// What was to be written.
        item: &'static str,
        /// How large it is.
        bytes: u64,
        /// How large it may be.
        limit: u64,
    },
}

/// What is wrong with a damaged file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// Content and checksum disagree.
    #[error("the checksum of {item} is wrong")]
    Checksum {
        /// Whose checksum.
        item: Item,
    },
    /// Something is shorter or longer than it says, or lacks a part.
    #[error("{item} is incomplete or malformed")]
    Malformed {
        /// What is malformed.
        item: Item,
    },
    /// A format version that this program does not know.
    #[error("{item} has format version {found}, and this program knows none above {known}")]
    Version {
        /// What has the version.
        item: Item,
        /// The version that was read.
        found: u16,
        /// The newest version that is known.
        known: u16,
    },
    /// A record is missing between two others, or before the first.
    #[error("record {expected} is missing, the next one is {found}")]
    Hole {
        /// The index that should come next.
        expected: u64,
        /// The index that came.
        found: u64,
    },
    /// What was acknowledged is not there any more.
    #[error("write {acknowledged} was acknowledged, but the newest that is left is {found}")]
    Lost {
        /// Number of the last write that was acknowledged.
        acknowledged: u64,
        /// Number of the last write that is there.
        found: u64,
    },
    /// The database engine reports that its own file is corrupt.
    #[error("the database engine cannot read its own file")]
    Engine,
}

/// A stored thing, as error messages name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Item {
    /// A log record.
    #[error("record {0}")]
    Record(u64),
    /// The vote.
    #[error("the vote")]
    Vote,
    /// A small fact.
    #[error("a small fact")]
    Fact,
    /// The purge point of the log, or the number of the last write.
    #[error("the log's own bookkeeping")]
    Bookkeeping,
    /// The head of a segment of the log.
    #[error("the head of the segment")]
    SegmentHead,
    /// The group of log records that starts at this position of the log, in bytes since its beginning.
    #[error("the group of records at position {0}")]
    Group(u64),
    /// The head of a snapshot file.
    #[error("the head of the snapshot")]
    SnapshotHead,
    /// A chunk of a snapshot file, counted from 0.
    #[error("chunk {0} of the snapshot")]
    SnapshotChunk(u64),
    /// The end of a snapshot file.
    #[error("the end of the snapshot")]
    SnapshotEnd,
    /// The mark of how far a journal is synced.
    #[error("the mark at the beginning of the journal")]
    JournalMark,
    /// The journal record that starts at this byte.
    #[error("the journal record at byte {0}")]
    JournalRecord(u64),
}

impl StorageError {
    /// An answer of the operating system, with its place.
    pub(crate) fn io(path: &Path, operation: &'static str, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), operation, source: Arc::new(source) }
    }

    /// Damage, with its place.
    pub(crate) fn damaged(path: &Path, what: Damage) -> Self {
        Self::Damaged { path: path.to_owned(), what }
    }

    /// What everybody is told after `self` has ended an engine or a file.
    pub(crate) fn ended(self) -> Self {
        if matches!(self, Self::Failed { .. }) { self } else { Self::Failed { cause: Arc::new(self) } }
    }

    /// Whether the file or folder was simply not there.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}
