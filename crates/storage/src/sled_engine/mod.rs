//! The log engine on sled 0.34, made durable by a sync of our own.

mod batches;
mod records;
mod recovery;
mod store;
mod value;
mod writer;

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests;

use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use crate::StorageError;
use crate::acknowledged::Acknowledged;
use crate::disk::SystemDisk;
use crate::engine::Record;
use crate::engine_name::EngineName;
use crate::error::{Damage, Item};
use crate::queued_engine::{Opened, Queue, QueuedEngine, Store};
use crate::sled_engine::store::{SledStore, SyncFile};
use crate::sled_engine::writer::Writer;
use crate::sync_times::SyncTimer;

/// The engine on sled.
///
/// A group is one or more sled batches, one flush, and one `fdatasync` of sled's file.
#[derive(Debug, Clone, Copy)]
pub struct SledEngine;

struct Shared {
    /// Held for writing while stored records are removed or replaced, for reading while they are read.
    removal: RwLock<()>,
    store: SledStore,
}

impl SledEngine {
    /// Opens or makes the log in `folder`, reads all of it, and refuses it when anything is not as it was written.
    ///
    /// [`StorageError::Locked`] when another process has it, [`StorageError::OtherEngine`] when another engine wrote it,
    /// [`StorageError::Damaged`] when it cannot be trusted.
    pub fn open(folder: &Path) -> Result<QueuedEngine, StorageError> {
        Self::open_with(folder, |sync| sync)
    }

    /// As [`SledEngine::open`], with a chance to replace the sync of sled's file.
    pub(crate) fn open_with(
        folder: &Path,
        replace: impl FnOnce(SyncFile) -> SyncFile,
    ) -> Result<QueuedEngine, StorageError> {
        EngineName::Sled.check(&SystemDisk, folder)?;
        let store = SledStore::open(folder)?;
        let (view, write_number) = recovery::recover(&store)?;
        let acknowledged = Acknowledged::open(&SystemDisk, folder, write_number)?;
        let sync = replace(store.sync_file()?);
        let start = view.bounds().first;
        let syncs = Arc::new(SyncTimer::default());
        let shared = Arc::new(Shared { removal: RwLock::new(()), store });
        let writer = Writer::new(Arc::clone(&shared), sync, Arc::clone(&syncs), write_number, start);
        let writer = Box::new(writer);
        QueuedEngine::on_a_thread(Opened { folder, view, store: shared, writer, acknowledged, syncs })
    }
}

impl Shared {
    fn stored(&self, from: u64, lengths: &[u32]) -> Result<Vec<Record>, StorageError> {
        let to = from + lengths.len() as u64;
        let found = self.store.records(from, to).collect::<Result<Vec<_>, _>>()?;
        for (number, length) in lengths.iter().enumerate() {
            let index = from + number as u64;
            let whole = |record: &Record| record.index == index && record.payload.len() == *length as usize;
            if !found.get(number).is_some_and(whole) {
                let what = Damage::Malformed { item: Item::Record(index) };
                return Err(StorageError::damaged(self.store.folder(), what));
            }
        }
        Ok(found)
    }
}

impl Store for Shared {
    fn read(&self, queue: &Queue, from: u64, to: u64, max_bytes: usize) -> Result<Vec<Record>, StorageError> {
        let _stays = self.removal.read().unwrap_or_else(PoisonError::into_inner);
        let state = queue.readable()?;
        let extent = state.view.extent(from, to, max_bytes);
        let recent = state.view.at_hand(extent.memory_from, extent.to);
        let lengths: Vec<_> = (extent.from..extent.memory_from).map(|index| state.view.length_of(index)).collect();
        drop(state);
        if lengths.is_empty() {
            return Ok(recent);
        }
        let mut records = self.stored(extent.from, &lengths)?;
        records.extend(recent);
        Ok(records)
    }
}
