//! Silence of a leader that has lost its quorum, or whose disk stands still, so that the others can elect another one.
//!
//! Whatever it sends puts their elections off, heartbeats and entries alike, over a network that loses only the answers.
//! openraft can hold back heartbeats in phases of one length
//! ([`quorum_loss_probe_interval`](openraft::Config)), and does not hold back entries; so neither is left to it. Silence
//! must outlast the longest wait of a follower, and what is sent in between to learn whether somebody answers again should
//! be short.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use antfarm_planted::{Bug, planted};
use openraft::AsyncRuntime;
use tokio::sync::watch;

use crate::metrics::Metrics;

/// Tells when entries must not be sent. Cheap to clone.
pub(crate) struct Gate<R: AsyncRuntime> {
    metrics: Arc<OnceLock<Metrics<R>>>,
    election_timeout_max: Duration,
    /// Whether the disk stands still.
    still: watch::Receiver<bool>,
}

/// How long a leader is silent, in the longest election time-outs. A follower gives up its leader after one; waits for two
/// more if it has seen a longer log than its own, whose owner may be the one that is not heard; and campaigns after another
/// one. The fifth is for what is late.
const SILENT_TIMEOUTS: u32 = 5;

/// How long it asks in between whether a quorum answers.
const PROBE_TIMEOUTS: u32 = 1;

impl<R: AsyncRuntime> Gate<R> {
    /// A gate that is open until it [`follows`](Self::follow) a replica.
    pub(crate) fn new(election_timeout_max: Duration, still: watch::Receiver<bool>) -> Self {
        Self { metrics: Arc::default(), election_timeout_max, still }
    }

    /// Looks at this replica from now on.
    pub(crate) fn follow(&self, metrics: Metrics<R>) {
        let _ = self.metrics.set(metrics);
    }

    /// Whether the leader should be silent, which has been leading for `age`.
    pub(super) fn is_shut(&self, age: Duration) -> bool {
        let Some(metrics) = self.metrics.get() else { return false };
        if metrics.is_alone() || planted(Bug::NeverSilent) {
            return false;
        }
        *self.still.borrow() || is_quiet(metrics.quorum_acked().unwrap_or(age), self.election_timeout_max)
    }
}

/// Whether silence is due when a quorum last acknowledged that long ago: not as long as that is good for, one time-out;
/// then with probes in between.
fn is_quiet(acked: Duration, timeout: Duration) -> bool {
    let (silent, whole) = (timeout * SILENT_TIMEOUTS, timeout * (SILENT_TIMEOUTS + PROBE_TIMEOUTS));
    acked.checked_sub(timeout).is_some_and(|over| over.as_nanos() % whole.as_nanos().max(1) < silent.as_nanos())
}

impl<R: AsyncRuntime> Clone for Gate<R> {
    fn clone(&self) -> Self {
        let (metrics, still) = (self.metrics.clone(), self.still.clone());
        Self { metrics, election_timeout_max: self.election_timeout_max, still }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_begins_when_no_acknowledgement_is_good_any_more_and_probes_interrupt_it() {
        let quiet = |ms| is_quiet(Duration::from_millis(ms), Duration::from_millis(300));
        assert!(!quiet(299));
        assert!(quiet(300));
        assert!(quiet(1_799));
        assert!(!quiet(1_800));
        assert!(!quiet(2_099));
        assert!(quiet(2_100));
    }

    #[test]
    fn a_follower_that_has_seen_a_longer_log_campaigns_within_one_silence() {
        let timeout_ms = 300;
        // It gives up its leader, openraft adds two more, and it waits its own: all of that behind the last heartbeat.
        let campaigns_ms = timeout_ms + (1 + 2 + 1) * timeout_ms;
        let quiet = |ms| is_quiet(Duration::from_millis(ms), Duration::from_millis(timeout_ms));
        assert!((timeout_ms..=campaigns_ms).all(quiet));
    }
}
