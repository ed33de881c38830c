//! What must hold in every history: one file for each property, S for safety and L for liveness.
//!
//! Histories come from three sides. The core simulator knows [`Fact`]s and the states of its replicas. A run of real
//! processes and a run of the simulated cluster leave [`Evidence`], part of which is translated into facts, so that all
//! sides share a checker where a property is about starts and ends. A checker says nothing where there are no records of
//! the kind that it looks at: what of a history nobody saw, nobody can be held to.

mod disks;
mod facts;
mod l1_leader;
mod l2_progress;
mod l3_no_forager;
mod l4_settled;
mod l5_catch_up;
mod l6_broken_disk;
mod l7_no_false_loss;
mod l8_bounds;
mod l9_terms;
#[cfg(test)]
mod mutants;
mod p0_no_crash;
mod p1_faults_end;
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
mod s12_linearizable;
mod s13_cancel_wins;
mod s14_raft_safety;
mod s15_equal_replicas;
mod s16_durable_before_reply;
mod s17_fail_stop;
mod s18_damage;
mod s19_membership;
mod s20_authorization;
mod s21_results_survive;
mod s22_lease_order;
mod s23_irrevocable;
mod s24_fences_rise;
mod s25_capacity;
mod s26_deadlines;
mod s27_events;
mod s28_a_closer_for_each;
#[cfg(test)]
mod sample;
#[cfg(test)]
mod sound;

use antfarm_scheduler::State;

use crate::history::Evidence;
pub(crate) use facts::Fact;
pub(crate) use s12_linearizable::Agreement;

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

/// A checker of one property in a history.
type Checker = fn(&Evidence) -> Result<(), Violation>;

/// A checker of facts.
type FactChecker = fn(&[Fact]) -> Result<(), Violation>;

/// All properties that a history is held to.
const CHECKERS: [Checker; 39] = [
    p0_no_crash::check,
    p1_faults_end::check,
    s01_one_leader::check,
    s02_epoch_order::check,
    |evidence| {
        facts::in_names(evidence, s03_commit_before_dispatch::check(&facts::dispatches(evidence)))?;
        s03_commit_before_dispatch::check_claims(evidence)
    },
    |evidence| both(evidence, s04_fencing::check, facts::fencing),
    |evidence| both(evidence, s05_single_start::check, facts::runs),
    |evidence| both(evidence, s06_no_overlap::check, facts::runs),
    s07_one_result::check,
    s08_dependency_order::check,
    s09_submissions_survive::check,
    s10_idempotent_submission::check,
    s11_no_phantom::check,
    s12_linearizable::check,
    s13_cancel_wins::check,
    s14_raft_safety::check,
    s15_equal_replicas::check,
    s16_durable_before_reply::check,
    s17_fail_stop::check,
    s18_damage::check,
    s19_membership::check,
    s20_authorization::check,
    s21_results_survive::check,
    s22_lease_order::check,
    s23_irrevocable::check,
    s24_fences_rise::check,
    s25_capacity::check,
    s26_deadlines::check,
    s27_events::check,
    s28_a_closer_for_each::check,
    l1_leader::check,
    l2_progress::check,
    l3_no_forager::check,
    l4_settled::check,
    l5_catch_up::check,
    l6_broken_disk::check,
    l7_no_false_loss::check,
    l8_bounds::check,
    l9_terms::check,
];

/// By what the ledger shows, and by what was seen inside of foragers.
fn both(evidence: &Evidence, check: FactChecker, in_the_ledger: fn(&Evidence) -> Vec<Fact>) -> Result<(), Violation> {
    let checked = check(&in_the_ledger(evidence)).and_then(|()| check(&facts::inside(evidence)));
    facts::in_names(evidence, checked)
}

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
    s15_equal_replicas::check_replicas(replicas)?;
    s28_a_closer_for_each::check_replicas(replicas)
}

/// Everything that is wrong with a history, at most one violation of each property.
pub(crate) fn check_evidence(evidence: &Evidence) -> Vec<Violation> {
    CHECKERS.iter().filter_map(|checker| checker(evidence).err()).collect()
}

/// Compares the two checks of linearizability, each of which must find what the other one finds: how much both looked at,
/// or how they disagree, which means that the harness is broken.
pub(crate) fn compare_linearizability(evidence: &Evidence) -> Result<Agreement, String> {
    s12_linearizable::compare(evidence)
}
