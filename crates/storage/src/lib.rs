//! Durable log, vote and small facts, snapshot files and journals. Knows bytes, order and fsync; not Raft.
//!
//! # Durability points
//!
//! | what | is durable when | by |
//! | --- | --- | --- |
//! | records, truncations, purges, the vote, facts | their [`OnDurable`] is called with `Ok` | [`SledEngine`]: batch, flush, `fdatasync` of sled's file by us, then the callbacks in the order of the calls |
//! | a snapshot | [`SnapshotWriter::finish`] returns | written beside, synced, renamed, folder synced |
//! | a journal record | [`JournalFile::sync`] after its append returns | write, `fdatasync`, then a mark in the file of how far it is synced |
//! | a rewritten journal, a file of [`write_atomically`] | the call returns | written beside, synced, renamed, folder synced |
//! | what an earlier process wrote and did not sync | the file is open | synced before anything of it is handed out |
//!
//! # What is checked
//!
//! Every record, vote, fact, chunk and journal record has a format version and a CRC-32C that covers its place. A hole in
//! the log, a missing end of a snapshot, and acknowledged writes that the database has lost are noticed when they are
//! read. All of these are [`StorageError::Damaged`], which names the file and the way out; nothing damaged is used or
//! skipped. Only the end of a journal is cut from the first record on that is not whole, where its mark says that it was
//! never synced.
//!
//! # What fails
//!
//! The first failed write or sync ends an engine or a journal; nothing is retried, and everything later is answered with
//! [`StorageError::Failed`]. The process should exit with the first error.
//!
//! # What is absent
//!
//! There is no asynchronous code: a [`LogEngine`] has a writer thread, everything on a [`Disk`] blocks its caller. There is
//! no clock and no log line. Only [`SledEngine`] names sled.

mod acknowledged;
mod change;
mod disk;
mod engine;
mod engine_name;
#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod engine_tests;
mod error;
mod journal_file;
mod memory_engine;
mod queued_engine;
mod segment_engine;
mod sled_engine;
mod snapshot_files;
mod sync_times;
mod view;

pub use disk::{
    DataFolderLock, Disk, DiskFile, DiskLock, DiskReader, DiskWriter, MemoryDisk, SystemDisk, write_atomically,
};
pub use engine::{Bounds, Fact, LogEngine, MAX_FACT_BYTES, MAX_RECORD_BYTES, OnDurable, Record};
pub use engine_name::EngineName;
pub use error::{Damage, Item, StorageError};
pub use journal_file::JournalFile;
pub use memory_engine::MemoryEngine;
pub use queued_engine::QueuedEngine;
pub use segment_engine::SegmentEngine;
pub use sled_engine::SledEngine;
pub use snapshot_files::{SnapshotFile, SnapshotFiles, SnapshotReader, SnapshotWriter};
pub use sync_times::{Clock, SyncTimes};
