//! How long snapshots take.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The number of snapshots that this replica has written, and how long all of them took. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct SnapshotTimes(Arc<(AtomicU64, AtomicU64)>);

impl SnapshotTimes {
    /// One more, which took so long.
    pub(crate) fn add(&self, took: Duration) {
        let (number, micros) = &*self.0;
        micros.fetch_add(u64::try_from(took.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
        number.fetch_add(1, Ordering::Relaxed);
    }

    /// How many there were, and how long all of them took.
    pub(crate) fn total(&self) -> (u64, Duration) {
        let (number, micros) = &*self.0;
        (number.load(Ordering::Relaxed), Duration::from_micros(micros.load(Ordering::Relaxed)))
    }
}
