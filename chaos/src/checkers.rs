//! What must hold in every history: one file for each property.

mod s03_commit_before_dispatch;
mod s04_fencing;
mod s05_single_start;
mod s06_no_overlap;
mod s07_one_result;
mod s15_equal_replicas;

use antfarm_model::{Epoch, ForagerNo};
use antfarm_scheduler::{AttemptId, State};

/// What happened, in order, by the simulation's own clock in milliseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fact {
    /// A leader sent an assignment; whether its entry was committed then.
    Dispatched { epoch: Epoch, attempt: AttemptId, committed: bool },
    /// A forager learnt of an epoch.
    EpochSeen { forager: ForagerNo, epoch: Epoch },
    /// A forager started an attempt, on the word of a leader of that epoch; whether it may overlap with others.
    Started { forager: ForagerNo, epoch: Epoch, attempt: AttemptId, may_overlap: bool, at: u64 },
    /// A started attempt runs no more.
    Ended { attempt: AttemptId, at: u64 },
}

/// A property that does not hold, and where.
#[derive(Debug, thiserror::Error)]
#[error("{property} is violated: {what}")]
pub(crate) struct Violation {
    property: &'static str,
    what: String,
}

impl Violation {
    fn new(property: &'static str, what: String) -> Self {
        Self { property, what }
    }
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
    s07_one_result::check(replicas)?;
    s15_equal_replicas::check(replicas)
}
