//! L2: soon after there is a leader a fresh submission is acknowledged, and every acknowledged graph comes to its end.

use super::Violation;
use super::l1_leader::reached;
use crate::history::{Evidence, Goal};

/// From the leader to the acknowledgement of a fresh submission: a few round trips and syncs of a busy disk.
const SUBMIT_WITHIN_MS: u64 = 2_000;

/// From the leader to the end of the last graph: a forager that is not heard is lost after a lease (3 s), its work starts
/// again, and the longest tool runs 5 s; a node may be lost more than once, and all that waits shares a few slots.
const END_WITHIN_MS: u64 = 45_000;

pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    reached(evidence, Goal::FreshSubmission, SUBMIT_WITHIN_MS, "L2 a fresh submission after healing")?;
    reached(evidence, Goal::AllFinal, END_WITHIN_MS, "L2 the end of every graph after healing")
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{finds, with};
    use crate::history::{Goal, What};

    fn late(goal: Goal, after_ms: u64) -> crate::history::Evidence {
        with(|sample| sample.add("closing", What::Reached { goal, after_ms: Some(after_ms), last_look: String::new() }))
    }

    #[test]
    fn a_submission_that_takes_too_long_is_found() {
        finds("L2 a fresh submission", &late(Goal::FreshSubmission, super::SUBMIT_WITHIN_MS + 1));
    }

    #[test]
    fn a_graph_that_does_not_end_is_found() {
        finds("L2 the end", &late(Goal::AllFinal, super::END_WITHIN_MS + 1));
    }
}
