//! The log engine on sled 0.34, made durable by a sync of our own.

mod acknowledged;
mod batches;
mod queue;
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
use std::thread::JoinHandle;

use crate::StorageError;
use crate::engine::{Bounds, Fact, LogEngine, OnDurable, Record};
use crate::error::{Damage, Item};
use crate::sled_engine::acknowledged::Acknowledged;
use crate::sled_engine::queue::Queue;
use crate::sled_engine::store::{Store, SyncFile};
use crate::sled_engine::writer::Writer;

/// Payload bytes of the newest records that are kept in memory, since replication reads them right back.
const RECENT_BYTES: usize = 16 << 20;

/// A [`LogEngine`] on sled, with one writer thread.
///
/// Changes that wait while others are written form the next group: one or more sled batches, one flush, one `fdatasync` of
/// sled's file, then the callbacks, in order. Callers wait while 64 MiB are on their way to the disk; a caller in an
/// asynchronous task then holds its thread, until the disk moves or the engine fails.
///
/// Dropping it writes what is queued, answers it, and closes the files.
pub struct SledEngine {
    shared: Arc<Shared>,
    writer: Option<JoinHandle<()>>,
}

struct Shared {
    queue: Queue,
    /// Held for writing while stored records are removed or replaced, for reading while they are read.
    removal: RwLock<()>,
    store: Store,
}

impl SledEngine {
    /// Opens or makes the log in `folder`, reads all of it, and refuses it when anything is not as it was written.
    ///
    /// [`StorageError::Locked`] when another process has it, [`StorageError::Damaged`] when it cannot be trusted.
    pub fn open(folder: &Path) -> Result<Self, StorageError> {
        Self::open_with(folder, |sync| sync)
    }

    /// As [`SledEngine::open`], with a chance to replace the sync of sled's file.
    fn open_with(folder: &Path, replace: impl FnOnce(SyncFile) -> SyncFile) -> Result<Self, StorageError> {
        let store = Store::open(folder)?;
        let (view, write_number) = recovery::recover(&store)?;
        let acknowledged = Acknowledged::open(folder, write_number)?;
        let sync = replace(store.sync_file()?);
        let start = view.bounds().first;
        let shared = Arc::new(Shared { queue: Queue::new(view), removal: RwLock::new(()), store });
        let writer = Writer::new(Arc::clone(&shared), sync, acknowledged, write_number, start);
        let thread = std::thread::Builder::new().name("log-writer".to_owned()).spawn(move || writer.run());
        let thread = thread.map_err(|error| StorageError::io(folder, "starting a writer thread for", error))?;
        Ok(Self { shared, writer: Some(thread) })
    }

    fn stored(&self, from: u64, lengths: &[u32]) -> Result<Vec<Record>, StorageError> {
        let to = from + lengths.len() as u64;
        let found = self.shared.store.records(from, to).collect::<Result<Vec<_>, _>>()?;
        for (number, length) in lengths.iter().enumerate() {
            let index = from + number as u64;
            let whole = |record: &Record| record.index == index && record.payload.len() == *length as usize;
            if !found.get(number).is_some_and(whole) {
                let what = Damage::Malformed { item: Item::Record(index) };
                return Err(StorageError::damaged(self.shared.store.folder(), what));
            }
        }
        Ok(found)
    }
}

impl LogEngine for SledEngine {
    fn append(&self, records: Vec<Record>, on_durable: OnDurable) {
        self.shared.queue.push(on_durable, |view, change| {
            view.check(&records)?;
            Ok(view.append(records, change))
        });
    }

    fn read(&self, from: u64, to: u64, max_bytes: usize) -> Result<Vec<Record>, StorageError> {
        let _stays = self.shared.removal.read().unwrap_or_else(PoisonError::into_inner);
        let state = self.shared.queue.state();
        if let Some(failure) = &state.failure {
            return Err(failure.clone());
        }
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

    fn bounds(&self) -> Bounds {
        self.shared.queue.state().view.bounds()
    }

    fn truncate_after(&self, index: Option<u64>, on_durable: OnDurable) {
        self.shared.queue.push(on_durable, |view, _| Ok(view.truncate_after(index)));
    }

    fn purge_to(&self, index: u64, on_durable: OnDurable) {
        self.shared.queue.push(on_durable, |view, _| Ok(view.purge_to(index)));
    }

    fn save_vote(&self, vote: Vec<u8>, on_durable: OnDurable) {
        self.shared.queue.push(on_durable, |view, _| view.save_vote(vote));
    }

    fn vote(&self) -> Option<Vec<u8>> {
        self.shared.queue.state().view.vote()
    }

    fn save_fact(&self, fact: Fact, value: Vec<u8>, on_durable: OnDurable) {
        self.shared.queue.push(on_durable, |view, _| view.save_fact(fact, value));
    }

    fn fact(&self, fact: Fact) -> Option<Vec<u8>> {
        self.shared.queue.state().view.fact(fact)
    }

    fn log_bytes(&self) -> u64 {
        self.shared.queue.state().view.log_bytes()
    }
}

impl Drop for SledEngine {
    fn drop(&mut self) {
        self.shared.queue.close();
        // A callback may hold the last handle; the writer cannot wait for itself.
        let writer = self.writer.take().filter(|writer| writer.thread().id() != std::thread::current().id());
        if let Some(Err(panic)) = writer.map(JoinHandle::join)
            && !std::thread::panicking()
        {
            std::panic::resume_unwind(panic);
        }
    }
}

impl std::fmt::Debug for SledEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SledEngine").field("folder", &self.shared.store.folder()).finish_non_exhaustive()
    }
}
