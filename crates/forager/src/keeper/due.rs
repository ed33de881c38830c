//! When a run has to end, and who notices that time has passed unseen.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// When a run is asked to end and when it is ended, on the boot-time clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u64, u64)", into = "(u64, u64)")]
pub(crate) struct Due {
    /// SIGTERM.
    pub(crate) stop_at: Duration,
    /// SIGKILL: what still runs then is killed with all that it started.
    pub(crate) kill_at: Duration,
}

impl Due {
    /// It may run for ever.
    pub(crate) const NEVER: Self = Self { stop_at: LATEST, kill_at: LATEST };

    /// It may not run.
    pub(crate) const PAST: Self = Self { stop_at: Duration::ZERO, kill_at: Duration::ZERO };

    /// It is asked to end now, and has so long.
    pub(crate) fn within(grace: Duration, now: Duration) -> Self {
        Self { stop_at: now, kill_at: now.saturating_add(grace).min(LATEST) }
    }

    /// The earlier of both, for each step by itself.
    #[must_use]
    pub(crate) fn and(self, other: Self) -> Self {
        Self { stop_at: self.stop_at.min(other.stop_at), kill_at: self.kill_at.min(other.kill_at) }
    }

    /// How long to wait for the next step that has not been taken.
    pub(crate) fn next_in(self, now: Duration) -> Duration {
        let next = if now < self.stop_at { self.stop_at } else { self.kill_at };
        next.saturating_sub(now)
    }
}

/// As far away as can be written down.
const LATEST: Duration = Duration::from_nanos(u64::MAX);

impl From<(u64, u64)> for Due {
    fn from((stop_at, kill_at): (u64, u64)) -> Self {
        Self { stop_at: Duration::from_nanos(stop_at), kill_at: Duration::from_nanos(kill_at) }
    }
}

impl From<Due> for (u64, u64) {
    fn from(due: Due) -> Self {
        let nanos = |at: Duration| u64::try_from(at.as_nanos()).unwrap_or(u64::MAX);
        (nanos(due.stop_at), nanos(due.kill_at))
    }
}

/// A boot-time clock that outruns the monotonic one by more than this was suspended.
const NOTICED: Duration = Duration::from_millis(50);

/// Notices that the machine was suspended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Suspension {
    /// By how much the boot-time clock was ahead of the monotonic one.
    ahead: Duration,
}

impl Suspension {
    /// Nothing before this moment counts.
    pub(crate) fn since(boot_time: Duration, monotonic: Duration) -> Self {
        Self { ahead: boot_time.saturating_sub(monotonic) }
    }

    /// Whether there was a suspension since the last look.
    pub(crate) fn is_noticed(&mut self, boot_time: Duration, monotonic: Duration) -> bool {
        let ahead = boot_time.saturating_sub(monotonic);
        let before = std::mem::replace(&mut self.ahead, ahead);
        ahead > before + NOTICED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn of_two_ends_the_earlier_counts_and_the_next_step_is_waited_for() {
        let lease = Due { stop_at: ms(800), kill_at: ms(1_000) };
        let stop = Due::within(ms(500), ms(400));
        let both = lease.and(stop);
        assert_eq!(both, Due { stop_at: ms(400), kill_at: ms(900) });
        assert_eq!(both.and(Due::NEVER), both);
        assert_eq!(
            (lease.next_in(ms(700)), lease.next_in(ms(800)), lease.next_in(ms(2_000))),
            (ms(100), ms(200), ms(0))
        );
        assert_eq!(Due::within(Duration::MAX, ms(1)).kill_at, LATEST);
    }

    #[test]
    fn a_suspension_is_noticed_once_and_a_slow_drift_is_not_one() {
        let mut suspension = Suspension::since(ms(100), ms(40));
        assert!(!suspension.is_noticed(ms(200), ms(140)));
        assert!(!suspension.is_noticed(ms(340), ms(240)), "40 ms are within what two readings may differ");
        assert!(suspension.is_noticed(ms(500), ms(300)));
        assert!(!suspension.is_noticed(ms(600), ms(400)));
    }
}
