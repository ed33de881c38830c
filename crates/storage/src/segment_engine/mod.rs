//! The log engine on segmented append-only files.
//!
//! A write is one or more groups of records at the end of the last segment, one `fdatasync`, and then the callbacks. A
//! group is recovered whole or not at all. Nothing that was written is ever changed: truncations and purges are records,
//! each process begins a segment of its own, and a segment whose records are all purged is removed as a whole. The first
//! group of a segment repeats what the ones before it said but for the records, so that any number of the newest segments
//! is a log.
//!
//! # What is cut and what is refused
//!
//! A write goes to the disk only after the former one is durable, so only the last one can be torn. What cannot be read
//! is passed over only at the end of the last segment, and only if nothing shows that it was durable: no group behind it
//! was written when it was, and the file beside the log has not noted that it was acknowledged. Everything else is damage.

mod content;
mod format;
mod group;
mod places;
mod recovery;
mod scan;
mod tally;
mod writer;

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use crate::StorageError;
use crate::acknowledged::Acknowledged;
use crate::disk::{Disk, DiskLock};
use crate::engine::Record;
use crate::engine_name::EngineName;
use crate::queued_engine::{Opened, Queue, QueuedEngine, Store};
use crate::segment_engine::places::Places;
use crate::segment_engine::writer::{SEGMENT_BYTES, Writer};
use crate::sync_times::SyncTimer;

/// The engine on segmented append-only files.
#[derive(Debug, Clone, Copy)]
pub struct SegmentEngine;

impl SegmentEngine {
    /// Opens or makes the log in `folder`, reads all of it, and refuses it when anything is not as it was written.
    ///
    /// [`StorageError::Locked`] when another process has it, [`StorageError::OtherEngine`] when another engine wrote it,
    /// [`StorageError::Damaged`] when it cannot be trusted.
    pub fn open(disk: Arc<dyn Disk>, folder: &Path) -> Result<QueuedEngine, StorageError> {
        Self::open_with(disk, folder, SEGMENT_BYTES, QueuedEngine::on_a_thread)
    }

    /// As [`SegmentEngine::open`], without a thread: for simulation, and for tests that decide what is written together.
    ///
    /// A segment that has grown to `segment_bytes` gets no further write.
    pub fn open_by_hand(disk: Arc<dyn Disk>, folder: &Path, segment_bytes: u64) -> Result<QueuedEngine, StorageError> {
        Self::open_with(disk, folder, segment_bytes, |opened| Ok(QueuedEngine::by_hand(opened)))
    }

    fn open_with(
        disk: Arc<dyn Disk>,
        folder: &Path,
        segment_bytes: u64,
        start: impl FnOnce(Opened<'_>) -> Result<QueuedEngine, StorageError>,
    ) -> Result<QueuedEngine, StorageError> {
        disk.create_folders(folder)?;
        let lock = disk.lock(&folder.join("lock"))?;
        EngineName::Segments.check(disk.as_ref(), folder)?;
        let found = recovery::recover(disk.as_ref(), folder)?;
        let acknowledged = Acknowledged::open(disk.as_ref(), folder, found.end)?;
        let (places, syncs) = (Arc::new(Mutex::new(found.places)), Arc::new(SyncTimer::default()));
        let writer = Box::new(Writer {
            disk,
            folder: folder.to_owned(),
            segment_bytes,
            places: Arc::clone(&places),
            syncs: Arc::clone(&syncs),
            tally: found.tally,
            end: found.end,
            chain: found.chain,
            current: None,
        });
        let store = Arc::new(Segments { places, _lock: lock });
        start(Opened { folder, view: found.view, store, writer, acknowledged, syncs })
    }
}

/// What readers need.
struct Segments {
    places: Arc<Mutex<Places>>,
    _lock: Box<dyn DiskLock>,
}

impl Store for Segments {
    fn read(&self, queue: &Queue, from: u64, to: u64, max_bytes: usize) -> Result<Vec<Record>, StorageError> {
        let state = queue.readable()?;
        let extent = state.view.extent(from, to, max_bytes);
        let recent = state.view.at_hand(extent.memory_from, extent.to);
        // What is not in memory any more is written, and its place stays that of this moment: files never change.
        let places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let stored: Vec<_> = places
            .located(extent.from, extent.memory_from)
            .into_iter()
            .map(|located| (state.view.length_of(located.index), located))
            .collect();
        drop(places);
        drop(state);
        let stored = stored.into_iter().map(|(length, located)| located.read(length));
        stored.chain(recent.into_iter().map(Ok)).collect()
    }
}
