//! How long things took.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The upper bounds of the buckets, in microseconds, with how Prometheus writes them in seconds.
const BOUNDS: [(u64, &str); 14] = [
    (250, "0.00025"),
    (500, "0.0005"),
    (1_000, "0.001"),
    (2_500, "0.0025"),
    (5_000, "0.005"),
    (10_000, "0.01"),
    (25_000, "0.025"),
    (50_000, "0.05"),
    (100_000, "0.1"),
    (250_000, "0.25"),
    (500_000, "0.5"),
    (1_000_000, "1"),
    (2_500_000, "2.5"),
    (10_000_000, "10"),
];

/// Durations, counted in buckets.
#[derive(Debug, Default)]
pub(super) struct Histogram {
    /// One for each bound, and one for what is longer than all of them.
    buckets: [AtomicU64; BOUNDS.len() + 1],
    sum_micros: AtomicU64,
}

impl Histogram {
    pub(super) fn observe(&self, duration: Duration) {
        let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        let bucket = BOUNDS.partition_point(|(bound, _)| *bound < micros);
        self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        self.sum_micros.fetch_add(micros, Ordering::Relaxed);
    }

    /// For each bound how many were not longer, then the number of all.
    pub(super) fn cumulative(&self) -> (Vec<(&'static str, u64)>, u64) {
        let mut count = 0;
        let mut add = |bucket: &AtomicU64| {
            count += bucket.load(Ordering::Relaxed);
            count
        };
        let below = BOUNDS.iter().zip(&self.buckets).map(|((_, text), bucket)| (*text, add(bucket))).collect();
        let all = add(&self.buckets[BOUNDS.len()]);
        (below, all)
    }

    pub(super) fn sum(&self) -> Duration {
        Duration::from_micros(self.sum_micros.load(Ordering::Relaxed))
    }
}
