//! The log engine as a replica uses it: what fails, ends the replica, whether somebody waits for it or not; what waits is
//! counted.
//!
//! openraft stops at a failed append or vote. Notes and purges, for which nobody waits, go to the same engine, which is
//! ended by the first of them that fails: a replica that did not notice would neither work nor stop.

use std::sync::Arc;

use antfarm_planted::{Bug, planted};
use antfarm_storage::{Bounds, Clock, Fact, LogEngine, OnDurable, Record, StorageError, SyncTimes};
use tokio::sync::watch;

use crate::disk_watch::DiskWatch;
use crate::error::Failure;

/// Tells the first failure of an engine, and whether it moves.
pub(crate) struct WatchedEngine {
    engine: Arc<dyn LogEngine>,
    failure: watch::Sender<Option<Failure>>,
    disk: DiskWatch,
}

impl WatchedEngine {
    pub(crate) fn new(engine: Arc<dyn LogEngine>, failure: watch::Sender<Option<Failure>>, disk: DiskWatch) -> Self {
        Self { engine, failure, disk }
    }

    fn watch(&self, on_durable: OnDurable) -> OnDurable {
        let (failure, disk) = (self.failure.clone(), self.disk.clone());
        disk.queued();
        Box::new(move |result| {
            disk.done();
            if let Some(error) = result.as_ref().err().filter(|error| ends_the_engine(error)) {
                failure.send_if_modified(|known| {
                    let first = known.is_none();
                    known.get_or_insert_with(|| Failure::Storage(error.to_string()));
                    first
                });
            }
            on_durable(result);
        })
    }
}

/// A change that was only refused leaves everything as it was.
fn ends_the_engine(error: &StorageError) -> bool {
    match error {
        StorageError::OutOfOrder { .. } | StorageError::TooLarge { .. } => false,
        StorageError::Io { .. } if planted(Bug::FailedSyncIgnored) || planted(Bug::OfficeWithoutDisk) => false,
        StorageError::Io { .. }
        | StorageError::Damaged { .. }
        | StorageError::OtherEngine { .. }
        | StorageError::Locked { .. }
        | StorageError::Failed { .. } => true,
    }
}

impl LogEngine for WatchedEngine {
    fn append(&self, records: Vec<Record>, on_durable: OnDurable) {
        self.engine.append(records, self.watch(on_durable));
    }

    fn read(&self, from: u64, to: u64, max_bytes: usize) -> Result<Vec<Record>, StorageError> {
        self.engine.read(from, to, max_bytes)
    }

    fn bounds(&self) -> Bounds {
        self.engine.bounds()
    }

    fn truncate_after(&self, index: Option<u64>, on_durable: OnDurable) {
        self.engine.truncate_after(index, self.watch(on_durable));
    }

    fn purge_to(&self, index: u64, on_durable: OnDurable) {
        self.engine.purge_to(index, self.watch(on_durable));
    }

    fn save_vote(&self, vote: Vec<u8>, on_durable: OnDurable) {
        self.engine.save_vote(vote, self.watch(on_durable));
    }

    fn vote(&self) -> Option<Vec<u8>> {
        self.engine.vote()
    }

    fn save_fact(&self, fact: Fact, value: Vec<u8>, on_durable: OnDurable) {
        self.engine.save_fact(fact, value, self.watch(on_durable));
    }

    fn fact(&self, fact: Fact) -> Option<Vec<u8>> {
        self.engine.fact(fact)
    }

    fn log_bytes(&self) -> u64 {
        self.engine.log_bytes()
    }

    fn time_syncs(&self, clock: Clock) {
        self.engine.time_syncs(clock);
    }

    fn sync_times(&self) -> SyncTimes {
        self.engine.sync_times()
    }
}

#[cfg(test)]
mod tests {
    use antfarm_env::{Env, SystemEnvironment};
    use antfarm_storage::MemoryEngine;

    use super::*;

    #[tokio::test]
    async fn a_failed_note_that_nobody_waits_for_is_told_and_a_refused_change_is_not() {
        let (engine, failure) = (Arc::new(MemoryEngine::held()), watch::Sender::new(None));
        let disk = DiskWatch::new(Env::new(SystemEnvironment::current()));
        let watched = WatchedEngine::new(engine.clone(), failure.clone(), disk);
        watched.append(vec![Record { index: 7, payload: bytes::Bytes::new() }], Box::new(|_| {}));
        watched.append(vec![Record { index: 9, payload: bytes::Bytes::new() }], Box::new(|_| {}));
        assert_eq!(*failure.borrow(), None, "a record out of order changes nothing");
        watched.save_fact(Fact::Committed, vec![1], Box::new(|_| {}));
        engine.fail(&StorageError::Io {
            path: "/log".into(),
            operation: "syncing",
            source: Arc::new(std::io::Error::other("no more disk")),
        });
        let told = failure.borrow().clone();
        assert!(matches!(&told, Some(Failure::Storage(why)) if why.contains("no more disk")), "{told:?}");
    }
}
