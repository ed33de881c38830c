//! L1: soon after all faults are over there is a leader whom a quorum acknowledges.

use super::Violation;
use crate::history::{Evidence, Goal, What};

/// From the end of all faults to a read that a quorum acknowledged: five times the greatest election time-out of the
/// runs (300 ms), and as much again for the processes that have just been started on a machine with two cores.
pub(super) const WITHIN_MS: u64 = 3_000;

pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    reached(evidence, Goal::Leader, WITHIN_MS, "L1 a leader after healing")
}

/// Whether a goal was reached in time; of a run that never came so far, nothing is said here.
pub(super) fn reached(
    evidence: &Evidence,
    wanted: Goal,
    within_ms: u64,
    property: &'static str,
) -> Result<(), Violation> {
    for record in &evidence.records {
        let What::Reached { goal, after_ms, last_look } = &record.what else { continue };
        if *goal == wanted && after_ms.is_none_or(|after| after > within_ms) {
            let took = after_ms.map_or_else(|| "was not reached".to_owned(), |after| format!("took {after} ms"));
            return Err(Violation::new(property, format!("it {took}, and {within_ms} ms are allowed; {last_look}")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{finds, with};
    use crate::history::{Goal, What};

    #[test]
    fn a_cluster_without_a_leader_is_found() {
        finds(
            "L1",
            &with(|sample| {
                sample.add("closing", What::Reached { goal: Goal::Leader, after_ms: None, last_look: "none".into() });
            }),
        );
    }
}
