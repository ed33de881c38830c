//! Ends of attempts that are told together.
//!
//! An end that is told alone takes a turn of the forager, an entry of the replicated log, and a turn for what is assigned in its
//! place: several times what a short program takes. While others run, of which the end may be near, it waits for them, a small
//! part of the time that it took itself.

use std::time::Duration;

use antfarm_protocol::AttemptRef;

/// An end waits for a part of the time that its attempt took, one of so many.
const PARTS: u32 = 8;

/// And never longer than this.
const LONGEST: Duration = Duration::from_millis(20);

/// Ends that have not been told. Each is of an attempt that the house has.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    attempts: Vec<AttemptRef>,
    /// When all of them are told, on the monotonic clock.
    told_at: Duration,
}

impl Gathered {
    /// An attempt that took so long has ended now, and others run.
    pub(super) fn add(&mut self, attempt: AttemptRef, took: Duration, now: Duration) {
        self.tell_at(now.saturating_add((took / PARTS).min(LONGEST)));
        self.attempts.push(attempt);
    }

    /// An attempt has ended that nobody is to wait for.
    pub(super) fn add_at_once(&mut self, attempt: AttemptRef, now: Duration) {
        self.tell_at(now);
        self.attempts.push(attempt);
    }

    fn tell_at(&mut self, at: Duration) {
        self.told_at = if self.attempts.is_empty() { at } else { self.told_at.min(at) };
    }

    /// How long to wait for more; nothing if there are none.
    pub(super) fn due_in(&self, now: Duration) -> Option<Duration> {
        (!self.attempts.is_empty()).then(|| self.told_at.saturating_sub(now))
    }

    /// All of them, which are told now.
    pub(super) fn take(&mut self) -> Vec<AttemptRef> {
        std::mem::take(&mut self.attempts)
    }
}

#[cfg(test)]
mod tests {
    use antfarm_model::{Fence, GraphNo, NodeNo};

    use super::*;

    fn attempt(fence: u64) -> AttemptRef {
        AttemptRef { graph: GraphNo(1), node: NodeNo(2), index: 0, fence: Fence(fence) }
    }

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn an_end_waits_a_part_of_what_it_took_and_all_are_told_with_the_first_that_is_due() {
        let mut gathered = Gathered::default();
        assert_eq!(gathered.due_in(ms(0)), None);
        gathered.add(attempt(1), ms(80), ms(1_000));
        assert_eq!(gathered.due_in(ms(1_000)), Some(ms(10)));
        gathered.add(attempt(2), Duration::from_hours(1), ms(1_001));
        assert_eq!(gathered.due_in(ms(1_001)), Some(ms(9)), "who took long does not hold up who did not");
        gathered.add(attempt(3), ms(8), ms(1_002));
        assert_eq!(gathered.due_in(ms(1_002)), Some(ms(1)));
        assert_eq!(gathered.due_in(ms(1_010)), Some(ms(0)));
        assert_eq!(gathered.take(), [attempt(1), attempt(2), attempt(3)]);
        assert_eq!(gathered.due_in(ms(1_010)), None);
        gathered.add(attempt(4), Duration::from_hours(1), ms(2_000));
        assert_eq!(gathered.due_in(ms(2_000)), Some(LONGEST));
        gathered.add_at_once(attempt(5), ms(2_001));
        assert_eq!(gathered.due_in(ms(2_001)), Some(ms(0)));
    }
}
