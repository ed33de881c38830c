//! Silence of a leader that has lost its quorum, so that the others can elect another one.
//!
//! openraft holds back heartbeats then, in phases ([`quorum_loss_probe_interval`](openraft::Config)), but not entries
//! that wait for an acknowledgement: sent again and again over a network that loses only the answers, they would keep
//! the followers from campaigning. So entries keep the same phases here.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use antfarm_planted::{Bug, planted};
use openraft::AsyncRuntime;

use crate::metrics::Metrics;

/// Tells when entries must not be sent. Cheap to clone.
pub(crate) struct Gate<R: AsyncRuntime> {
    metrics: Arc<OnceLock<Metrics<R>>>,
    /// How long a quorum's acknowledgement is good for.
    lease: Duration,
    /// The length of a phase.
    phase: Duration,
}

impl<R: AsyncRuntime> Gate<R> {
    /// A gate that is open until it [`follows`](Self::follow) a replica.
    pub(crate) fn new(lease: Duration, phase: Duration) -> Self {
        Self { metrics: Arc::default(), lease, phase }
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
        is_quiet(metrics.quorum_acked().unwrap_or(age), self.lease, self.phase)
    }
}

/// Whether silence is due when a quorum last acknowledged that long ago: not during the lease, then in every other
/// phase, beginning with the first.
fn is_quiet(acked: Duration, lease: Duration, phase: Duration) -> bool {
    acked.checked_sub(lease).is_some_and(|over| (over.as_nanos() / phase.as_nanos().max(1)).is_multiple_of(2))
}

impl<R: AsyncRuntime> Clone for Gate<R> {
    fn clone(&self) -> Self {
        Self { metrics: self.metrics.clone(), lease: self.lease, phase: self.phase }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_begins_with_the_end_of_the_lease_and_alternates() {
        let quiet = |ms| is_quiet(Duration::from_millis(ms), Duration::from_millis(300), Duration::from_millis(900));
        assert!(!quiet(299));
        assert!(quiet(300));
        assert!(quiet(1199));
        assert!(!quiet(1200));
        assert!(quiet(2100));
    }
}
