//! What must hold in every history: one file for each property.
//!
//! Histories come from two sides. The core simulator knows [`Fact`]s and the states of its replicas; a run of real
//! processes leaves [`Evidence`], part of which is translated into facts, so that both sides share a checker where a
//! property is about starts and ends.

mod facts;
mod l1_leader;
mod l2_progress;
mod l4_settled;
mod p0_no_crash;
mod s01_one_leader;
mod s02_epoch_order;
mod s03_commit_before_dispatch;
mod s04_fencing;
mod s05_single_start;
mod s06_no_overlap;
mod s07_one_result;
mod s08_dependency_order;
mod s09_submissions_survive;
mod s10_idempotent_submission;
mod s11_no_phantom;
mod s12_real_time_order;
mod s13_cancel_wins;
mod s15_equal_replicas;
mod s21_results_survive;
mod s23_irrevocable;
mod s24_fences_rise;
mod s25_capacity;
mod s27_events;
#[cfg(test)]
mod sample;

use antfarm_scheduler::State;

use crate::history::Evidence;
pub(crate) use facts::Fact;

/// A property that does not hold, and where.
#[derive(Debug, thiserror::Error)]
#[error("{property} is violated: {what}")]
pub(crate) struct Violation {
    property: &'static str,
    what: String,
}

impl Violation {
    pub(crate) fn new(property: &'static str, what: String) -> Self {
        Self { property, what }
    }

    /// The property, by its number and name.
    pub(crate) fn property(&self) -> &'static str {
        self.property
    }
}

/// A checker of one property in a history of real processes.
type Checker = fn(&Evidence) -> Result<(), Violation>;

/// All properties that a history of real processes is held to.
const CHECKERS: [Checker; 24] = [
    p0_no_crash::check,
    s01_one_leader::check,
    s02_epoch_order::check,
    |evidence| facts::in_names(evidence, s03_commit_before_dispatch::check(&facts::dispatches(evidence))),
    |evidence| facts::in_names(evidence, s04_fencing::check(&facts::fencing(evidence))),
    |evidence| facts::in_names(evidence, s05_single_start::check(&facts::runs(evidence))),
    |evidence| facts::in_names(evidence, s06_no_overlap::check(&facts::runs(evidence))),
    s07_one_result::check,
    s08_dependency_order::check,
    s09_submissions_survive::check,
    s10_idempotent_submission::check,
    s11_no_phantom::check,
    s12_real_time_order::check,
    s13_cancel_wins::check,
    s15_equal_replicas::check,
    s21_results_survive::check,
    s23_irrevocable::check,
    s24_fences_rise::check,
    s25_capacity::check,
    s27_events::check,
    l1_leader::check,
    l2_progress::check_submission,
    l2_progress::check_end,
    l4_settled::check,
];

/// Checks everything that a history of facts can show.
pub(crate) fn check_facts(facts: &[Fact]) -> Result<(), Violation> {
    s03_commit_before_dispatch::check(facts)?;
    s04_fencing::check(facts)?;
    s05_single_start::check(facts)?;
    s06_no_overlap::check(facts)
}

/// Checks everything that replicas can show.
pub(crate) fn check_replicas(replicas: &[State]) -> Result<(), Violation> {
    s07_one_result::check_replicas(replicas)?;
    s15_equal_replicas::check_replicas(replicas)
}

/// Everything that is wrong with a history of real processes, at most one violation of each property.
pub(crate) fn check_evidence(evidence: &Evidence) -> Vec<Violation> {
    CHECKERS.iter().filter_map(|checker| checker(evidence).err()).collect()
}
