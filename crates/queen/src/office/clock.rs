//! A leadership's clocks: the state's two clocks, carried on by what this process measures.

use std::collections::BTreeMap;
use std::time::Duration;

use antfarm_env::Env;
use antfarm_model::{Elapsed, MemberId, WallTime};
use antfarm_planted::{Bug, planted};
use antfarm_scheduler::Now;

/// How long the voters have to tell their wall clocks, at each try. A dead one costs every failover the first; the others
/// are for networks that are slow just now.
const CLOCKS_WITHIN: [Duration; 3] = [Duration::from_millis(30), Duration::from_millis(200), Duration::from_secs(1)];

/// Reads the cluster's clocks from this process's monotonic one.
#[derive(Debug, Clone)]
pub(super) struct Clock {
    env: Env,
    began: Duration,
    boot_ahead: Duration,
    wall: WallTime,
    elapsed: Elapsed,
}

impl Clock {
    /// Carries both clocks on from these readings.
    pub(super) fn new(env: Env, wall: WallTime, elapsed: Elapsed) -> Self {
        // Whatever happens between two readings must make suspensions look longer, not shorter: here this order, …
        let boot_time = env.boot_time();
        let began = env.monotonic();
        let boot_ahead = boot_time.saturating_sub(began);
        Self { env, began, boot_ahead, wall, elapsed }
    }

    pub(super) fn now(&self) -> Now {
        let passed = self.env.monotonic().saturating_sub(self.began);
        let mut millis = u64::try_from(passed.as_millis()).unwrap_or(u64::MAX);
        if planted(Bug::WallClockLease) {
            millis = self.env.wall_ms().saturating_sub(self.wall.0);
        }
        Now {
            wall: WallTime(self.wall.0.saturating_add(millis)),
            elapsed: Elapsed(self.elapsed.0.saturating_add(millis)),
        }
    }

    /// This process's own monotonic clock, for latencies.
    pub(super) fn monotonic(&self) -> Duration {
        self.env.monotonic()
    }

    /// This process's own clock that counts suspension, for leases.
    pub(super) fn boot_time(&self) -> Duration {
        self.env.boot_time()
    }

    /// For how long the machine slept since the clock was made, at most: what the monotonic clock did not count.
    pub(super) fn suspended(&self) -> Duration {
        let monotonic = self.env.monotonic(); // … and here the other one
        self.env.boot_time().saturating_sub(monotonic).saturating_sub(self.boot_ahead)
    }
}

/// What time it is by the voters; nothing as long as fewer than a quorum of them tell.
///
/// Without a quorum all that is known is the time of the last entry, which may be hours old: a leadership that began then
/// would stay as late as that, and start what has expired.
pub(super) async fn ask_voters<A>(mut ask: impl FnMut(Duration) -> A) -> Option<WallTime>
where
    A: Future<Output = BTreeMap<MemberId, Option<WallTime>>>,
{
    for within in CLOCKS_WITHIN {
        let clocks = ask(within).await;
        if clocks.values().flatten().count() > clocks.len() / 2 {
            return Some(lower_median(clocks.into_values()));
        }
    }
    None
}

/// The lower median of the voters' clocks; a silent voter counts as lowest.
fn lower_median(clocks: impl Iterator<Item = Option<WallTime>>) -> WallTime {
    let mut readings: Vec<WallTime> = clocks.map(Option::unwrap_or_default).collect();
    readings.sort_unstable();
    readings.get(readings.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::future::ready;

    use super::*;

    #[test]
    fn one_wrong_clock_among_three_moves_nothing() {
        let median = |clocks: [Option<u64>; 3]| lower_median(clocks.into_iter().map(|clock| clock.map(WallTime))).0;
        assert_eq!(median([Some(100), Some(101), Some(9_999)]), 101);
        assert_eq!(median([Some(100), Some(101), Some(1)]), 100);
        assert_eq!(median([Some(100), None, Some(9_999)]), 100);
        assert_eq!(median([None, None, Some(9_999)]), 0);
    }

    #[tokio::test]
    async fn a_leadership_waits_until_a_quorum_has_told_the_time() {
        let clocks = |told: [Option<u64>; 3]| (1..).map(MemberId).zip(told.map(|clock| clock.map(WallTime))).collect();
        let alone = || clocks([Some(900), None, None]);
        let mut answers = [alone(), clocks([Some(900), None, Some(905)])].into_iter();
        assert_eq!(ask_voters(|_| ready(answers.next().expect("two are enough"))).await, Some(WallTime(900)));
        assert_eq!(ask_voters(|_| ready(alone())).await, None, "its own clock may be the wrong one");
    }

    #[test]
    fn of_an_even_number_the_lower_middle_counts() {
        assert_eq!(lower_median([4, 1, 3, 2].map(|clock| Some(WallTime(clock))).into_iter()).0, 2);
        assert_eq!(lower_median(std::iter::empty()).0, 0);
    }
}
