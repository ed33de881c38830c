//! How long something takes that is done again and again.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Where one kind of thing is timed. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Durations(Arc<Micros>);

#[derive(Debug, Default)]
struct Micros {
    number: AtomicU64,
    total: AtomicU64,
    longest: AtomicU64,
}

/// How often something was done since the start of the process, and how long it took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Timed {
    /// How often.
    pub number: u64,
    /// All together.
    pub total: Duration,
    /// The longest.
    pub longest: Duration,
}

impl Durations {
    /// Once more, which took so long.
    pub(crate) fn add(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.0.total.fetch_add(micros, Ordering::Relaxed);
        self.0.longest.fetch_max(micros, Ordering::Relaxed);
        self.0.number.fetch_add(1, Ordering::Relaxed);
    }

    /// What there was until now.
    pub(crate) fn timed(&self) -> Timed {
        let micros = |of: &AtomicU64| Duration::from_micros(of.load(Ordering::Relaxed));
        let Micros { number, total, longest } = &*self.0;
        Timed { number: number.load(Ordering::Relaxed), total: micros(total), longest: micros(longest) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_the_sum_and_the_longest_are_told() {
        let durations = Durations::default();
        for ms in [3, 9, 4] {
            durations.add(Duration::from_millis(ms));
        }
        let (total, longest) = (Duration::from_millis(16), Duration::from_millis(9));
        assert_eq!(durations.clone().timed(), Timed { number: 3, total, longest });
    }
}
