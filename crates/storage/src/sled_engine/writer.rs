//! Writing groups to sled, and sweeping up what was purged.

use std::sync::{Arc, PoisonError, RwLockWriteGuard};

use crate::StorageError;
use crate::change::Change;
use crate::engine::Bounds;
use crate::queued_engine::GroupWriter;
use crate::sled_engine::Shared;
use crate::sled_engine::batches::{BATCH_KEYS, Batches};
use crate::sled_engine::store::SyncFile;
use crate::sync_times::SyncTimer;

/// Purged keys that are removed between two groups, unless the group has put half as many or more.
///
/// sled takes some ten microseconds for each, which the next group waits for.
const SWEEP_KEYS: usize = 128;

pub(super) struct Writer {
    shared: Arc<Shared>,
    sync: SyncFile,
    syncs: Arc<SyncTimer>,
    write_number: u64,
    /// The index after the last record.
    next: u64,
    /// Where the log begins.
    start: u64,
    /// Whether anything may be left of what comes before.
    unswept: bool,
    /// How many keys the next sweep may remove.
    sweep_keys: usize,
}

impl Writer {
    pub(super) fn new(
        shared: Arc<Shared>,
        sync: SyncFile,
        syncs: Arc<SyncTimer>,
        write_number: u64,
        bounds: Bounds,
    ) -> Self {
        // An earlier process may not have come to sweeping.
        let (next, start) = (bounds.next(), bounds.first);
        Self { shared, sync, syncs, write_number, next, start, unswept: true, sweep_keys: SWEEP_KEYS }
    }

    fn removal(&self) -> RwLockWriteGuard<'_, ()> {
        self.shared.removal.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl GroupWriter for Writer {
    fn write(&mut self, changes: &[Change]) -> Result<u64, StorageError> {
        let number = self.write_number + 1;
        let batches = Batches::of(changes, number, self.next);
        let (puts, next, bytes) = (batches.puts, batches.next, batches.bytes);
        let removal = batches.removes.then(|| self.removal());
        for batch in batches.into_batches() {
            self.shared.store.apply(batch)?;
        }
        drop(removal);
        self.syncs.time(bytes, || {
            self.shared.store.flush()?;
            let file = || self.shared.store.folder().join("db");
            (self.sync)().map_err(|error| StorageError::io(&file(), "syncing", error))
        })?;
        (self.write_number, self.next) = (number, next);
        for change in changes {
            if let Change::Purge(start) = change {
                self.start = *start;
                self.unswept = true;
            }
        }
        self.sweep_keys = SWEEP_KEYS.max(2 * puts);
        Ok(number)
    }

    /// It needs no sync: what a crash brings back is swept again.
    fn tidy(&mut self) -> Result<bool, StorageError> {
        let mut keys = std::mem::replace(&mut self.sweep_keys, SWEEP_KEYS);
        while self.unswept && keys > 0 {
            let now = keys.min(BATCH_KEYS);
            let removal = self.removal();
            let found = self.shared.store.sweep(self.start, now)?;
            drop(removal);
            self.unswept = found == now;
            keys -= now;
        }
        Ok(self.unswept)
    }
}
