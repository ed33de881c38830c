//! How long the syncs of a log take, for whoever watches the disk.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// Tells the time since some moment in the past. It never goes back.
pub type Clock = Box<dyn Fn() -> Duration + Send + Sync>;

/// The syncs of an engine, since its clock was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SyncTimes {
    /// How many syncs took at most [`SyncTimes::BOUNDS`] of the same place, and longer than the bound before it; the last
    /// number is of those that took longer than all bounds.
    pub counts: [u64; SyncTimes::BOUNDS.len() + 1],
    /// How long all of them took.
    pub total: Duration,
    /// How many bytes they made durable, with everything that the engine writes around records.
    pub bytes: u64,
}

impl SyncTimes {
    /// The bounds that are told apart.
    pub const BOUNDS: [Duration; 12] = [
        Duration::from_micros(50),
        Duration::from_micros(100),
        Duration::from_micros(250),
        Duration::from_micros(500),
        Duration::from_millis(1),
        Duration::from_micros(2500),
        Duration::from_millis(5),
        Duration::from_millis(10),
        Duration::from_millis(25),
        Duration::from_millis(50),
        Duration::from_millis(100),
        Duration::from_secs(1),
    ];

    fn add(&mut self, bytes: u64, took: Duration) {
        self.counts[Self::BOUNDS.partition_point(|bound| *bound < took)] += 1;
        self.total += took;
        self.bytes += bytes;
    }
}

/// Times syncs once it has a clock.
#[derive(Default)]
pub(crate) struct SyncTimer {
    clock: OnceLock<Clock>,
    times: Mutex<SyncTimes>,
}

impl SyncTimer {
    /// Begins to time; a second clock is not used.
    pub(crate) fn start(&self, clock: Clock) {
        let _ = self.clock.set(clock); // the first one measures as well
    }

    pub(crate) fn times(&self) -> SyncTimes {
        *self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does a sync of so many bytes. One that fails is not counted: it is the last.
    pub(crate) fn time<E>(&self, bytes: u64, sync: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        let Some(clock) = self.clock.get() else { return sync() };
        let begun = clock();
        sync()?;
        let took = clock().saturating_sub(begun);
        self.times.lock().unwrap_or_else(PoisonError::into_inner).add(bytes, took);
        Ok(())
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn a_sync_is_counted_once_at_the_first_bound_that_it_does_not_exceed() {
        let timer = SyncTimer::default();
        timer.time(7, || Ok::<_, ()>(())).unwrap();
        assert_eq!(timer.times(), SyncTimes::default(), "without a clock nothing is timed");

        let micros = Arc::new(AtomicU64::new(0));
        let clock = Arc::clone(&micros);
        timer.start(Box::new(move || Duration::from_micros(clock.load(Ordering::Relaxed))));
        for took in [0, 50, 51, 5_000_000] {
            timer
                .time(100, || {
                    micros.fetch_add(took, Ordering::Relaxed);
                    Ok::<_, ()>(())
                })
                .unwrap();
        }
        timer.time(100, || Err(())).unwrap_err();
        let counts = [2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
        assert_eq!(timer.times(), SyncTimes { counts, total: Duration::from_micros(5_000_101), bytes: 400 });
    }
}
