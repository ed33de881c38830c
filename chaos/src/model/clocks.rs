//! Time in few ticks: every clock at the bound that is allowed, so that a lease ends in the tick in which it may be taken
//! for over, and not one before.
//!
//! In each tick the clock of a leader who waits goes on by four, and that of a forager, or of a queen who leads no more, by
//! two: the allowed difference is 100 %. A lease of three lasts until the second tick (2 < 3 ≤ 4); a leader waits for more
//! than six, and so until the second tick (4 ≤ 6 < 8). The numbers are these; the arithmetic is the product's.

use std::time::Duration;

use antfarm_model::Span;
use antfarm_scheduler::{LeaseTerms, Policy};

/// What a tick is by the clock of a leader who waits.
pub(super) const FAST: u64 = 4;

/// What it is by the clock of a forager, and of a queen who leads no more.
pub(super) const SLOW: u8 = 2;

/// Ticks after which everything is over.
pub(super) const LONG_AGO: u8 = 2;

/// The lease that the model's clusters agree on.
const TTL: Span = Span(3);
const DRIFT_PERCENT: u32 = 100;

/// The policy: nobody is suspect, which means nothing to what must not overlap, and no graph is removed.
pub(super) fn policy(with_drift_allowance: bool) -> Policy {
    Policy {
        heartbeat: Span::from_secs(3_600),
        lease_ttl: TTL,
        drift_percent: if with_drift_allowance { DRIFT_PERCENT } else { 0 },
        ..Policy::default()
    }
}

/// What is granted by one whose message that a quorum acknowledged last was sent so many ticks ago.
pub(super) fn grant(terms: LeaseTerms, ticks: u8) -> Option<u8> {
    let asked_at = Duration::from_secs(1);
    let now = asked_at + Duration::from_millis((SLOW * ticks).into());
    terms.grant(now, asked_at).and_then(|length| u8::try_from(length.0).ok())
}
