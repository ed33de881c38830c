//! L4: when all graphs have ended there is one leader, all queens are equal, all foragers ready, and no attempt is open.

use super::Violation;
use super::l1_leader::reached;
use crate::history::{Evidence, Goal};

/// From the end of the last graph: an attempt that was cancelled is closed at the latest with a lease (3 s) and its
/// allowance, a forager that was lost registers again, and a queen that was away catches up.
const WITHIN_MS: u64 = 15_000;

pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    reached(evidence, Goal::Settled, WITHIN_MS, "L4 a settled cluster after healing")
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{finds, with};
    use crate::history::{Goal, What};

    #[test]
    fn a_cluster_that_does_not_settle_is_found() {
        finds(
            "L4",
            &with(|sample| {
                sample.add(
                    "closing",
                    What::Reached { goal: Goal::Settled, after_ms: None, last_look: "one is behind".into() },
                );
            }),
        );
    }
}
