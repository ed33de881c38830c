//! The only thread that writes.

use std::sync::{Arc, PoisonError, RwLockWriteGuard};

use crate::StorageError;
use crate::change::Change;
use crate::sled_engine::acknowledged::Acknowledged;
use crate::sled_engine::batches::{BATCH_KEYS, Batches};
use crate::sled_engine::queue::{Group, Work};
use crate::sled_engine::store::SyncFile;
use crate::sled_engine::{RECENT_BYTES, Shared};

/// Purged keys that are removed between two groups, unless the group has put half as many or more.
///
/// sled takes some ten microseconds for each, which the next group waits for.
const SWEEP_KEYS: usize = 128;

pub(super) struct Writer {
    shared: Arc<Shared>,
    sync: SyncFile,
    acknowledged: Acknowledged,
    write_number: u64,
    /// Where the log begins.
    start: u64,
    /// Whether anything may be left of what comes before.
    unswept: bool,
}

impl Writer {
    pub(super) fn new(
        shared: Arc<Shared>,
        sync: SyncFile,
        acknowledged: Acknowledged,
        write_number: u64,
        start: u64,
    ) -> Self {
        // An earlier process may not have come to sweeping.
        Self { shared, sync, acknowledged, write_number, start, unswept: true }
    }

    /// Writes what is queued, group by group, and sweeps in between, until the queue is closed or a write fails.
    pub(super) fn run(mut self) {
        let mut sweep_keys = SWEEP_KEYS;
        loop {
            if let Err(error) = self.sweep(sweep_keys) {
                return self.shared.queue.fail(None, &error);
            }
            sweep_keys = SWEEP_KEYS;
            match self.shared.queue.take(self.unswept) {
                Work::Nothing => {}
                Work::Closed => return,
                Work::Group(group) => match self.write(&group) {
                    Ok(puts) => {
                        self.shared.queue.written(group, RECENT_BYTES);
                        sweep_keys = SWEEP_KEYS.max(2 * puts);
                    }
                    Err(error) => return self.shared.queue.fail(Some(group), &error),
                },
            }
        }
    }

    /// Writes a group, and says how many values that were. When this returns, it is durable.
    fn write(&mut self, group: &Group) -> Result<usize, StorageError> {
        let number = self.write_number + 1;
        let batches = Batches::of(&group.changes, number);
        let puts = batches.puts;
        let removal = batches.removes.then(|| self.removal());
        for batch in batches.into_batches() {
            self.shared.store.apply(batch)?;
        }
        drop(removal);
        self.shared.store.flush()?;
        (self.sync)().map_err(|error| StorageError::io(&self.shared.store.folder().join("db"), "syncing", error))?;
        self.acknowledged.note(number)?;
        self.write_number = number;
        for change in &group.changes {
            if let Change::Purge(start) = change {
                self.start = *start;
                self.unswept = true;
            }
        }
        Ok(puts)
    }

    /// Removes up to `keys` of what was purged. It needs no sync: what a crash brings back is swept again.
    fn sweep(&mut self, mut keys: usize) -> Result<(), StorageError> {
        while self.unswept && keys > 0 {
            let now = keys.min(BATCH_KEYS);
            let removal = self.removal();
            let found = self.shared.store.sweep(self.start, now)?;
            drop(removal);
            self.unswept = found == now;
            keys -= now;
        }
        Ok(())
    }

    fn removal(&self) -> RwLockWriteGuard<'_, ()> {
        self.shared.removal.write().unwrap_or_else(PoisonError::into_inner)
    }
}
