//! L3: without foragers graphs wait, say so, and go on soon after the first one has come.

use super::Violation;
use super::l1_leader::reached;
use crate::history::{Evidence, Goal, What};

const PROPERTY: &str = "L3 nothing waits unseen";

/// From the first forager that is ready to the end of something that waited for it: a few round trips and syncs, and as
/// much again for the processes that have just been started.
const RESUMES_WITHIN_MS: u64 = 5_000;

/// Why a node may wait while there is no forager: for one, or for something of its own.
const MAY_WAIT: [&str; 8] = [
    "no_forager_with_tool",
    "no_forager_available",
    "pin_not_met",
    "waits_for",
    "not_before",
    "held_back",
    "paused",
    "needs_decision",
];

pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    for record in &evidence.records {
        let What::Waits { graph, node, reason, ready_foragers: 0 } = &record.what else { continue };
        if !MAY_WAIT.contains(&reason.as_str()) {
            let what = format!("without a forager {graph}/{node} waits, and the reason that is given is {reason:?}");
            return Err(Violation::new(PROPERTY, what));
        }
    }
    reached(evidence, Goal::Resumed, RESUMES_WITHIN_MS, PROPERTY)
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{finds, with};
    use crate::history::{Goal, What};

    #[test]
    fn a_node_that_waits_for_no_reason_is_found() {
        finds(
            "L3",
            &with(|sample| {
                let (graph, node, reason) = ("g1".into(), "write".into(), "about_to_be_assigned".into());
                sample.add("poll-1", What::Waits { graph, node, reason, ready_foragers: 0 });
            }),
        );
    }

    #[test]
    fn a_graph_that_does_not_go_on_is_found() {
        finds(
            "L3",
            &with(|sample| {
                let last_look = "it waits".into();
                sample.add("closing", What::Reached { goal: Goal::Resumed, after_ms: None, last_look });
            }),
        );
    }
}
