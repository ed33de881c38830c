//! The arithmetic of leases: what a leader may promise, and when nothing that anybody promised can still hold.
//!
//! Every instant is an argument, so that a test stands on either side of every inequality. `DESIGN.md` has the argument.

use std::time::Duration;

use antfarm_model::{Elapsed, Span};

use crate::decide::{Liveness, Policy};

/// What all queens of a cluster agree on about leases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseTerms {
    /// How long a lease lasts.
    pub ttl: Span,
    /// By how much two clocks may differ in speed, in percent.
    pub drift_percent: u32,
}

impl LeaseTerms {
    /// What a leader may grant at `now` to a forager that counts from an earlier moment: nothing beyond the lease that
    /// began at `quorum_asked_at`, when the leader sent the message that a quorum acknowledged last. Both instants are of
    /// the leader's clock that counts suspension. Rounded down to what a message can say.
    pub fn grant(self, now: Duration, quorum_asked_at: Duration) -> Option<Span> {
        let left = (quorum_asked_at + self.ttl.to_std()).checked_sub(now)?;
        let millis = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
        (millis > 0).then(|| self.ttl.min(Span(millis)))
    }

    /// For how long a leader waits before it takes a lease for over: the whole of it, by the fastest clock that it may have
    /// itself while the forager has the slowest. Rounded up.
    pub fn patience(self) -> Span {
        Span(self.ttl.0 + (self.ttl.0 * u64::from(self.drift_percent)).div_ceil(100))
    }

    /// Whether no lease can hold any more at `now` that answers what was heard at `heard_at` or before. Both are whole
    /// milliseconds, rounded down, so their difference may be one too many: it must be more than the wait.
    pub fn is_over(self, heard_at: Elapsed, now: Elapsed) -> bool {
        now.since(heard_at) > self.patience()
    }
}

/// For how long a loop stood still that took its last turns at these moments; nothing if it was in time.
pub fn stall(last_turn: Duration, this_turn: Duration, bound: Duration) -> Option<Span> {
    let gap = this_turn.saturating_sub(last_turn);
    (gap > bound).then(|| Span(u64::try_from(gap.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)))
}

impl Policy {
    /// The terms of leases.
    pub fn lease(&self) -> LeaseTerms {
        LeaseTerms { ttl: self.lease_ttl, drift_percent: self.drift_percent }
    }
}

impl Liveness {
    /// A leader that stood still until `now` heard nobody meanwhile: for that long nobody counts as silent or gone.
    pub fn forgive(&mut self, stall: Span, now: Elapsed) {
        let later = |at: Elapsed| at.plus(stall).min(now);
        self.since = later(self.since);
        for contact in self.contacts.values_mut() {
            contact.heard_at = later(contact.heard_at);
            contact.broken_at = contact.broken_at.map(later);
        }
    }
}
