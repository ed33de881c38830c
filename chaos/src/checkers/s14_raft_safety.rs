//! S14: what Raft promises: one vote in a term, one log, committed on a quorum, and every leader has what is committed.

mod committed;
mod logs;
mod positions;
mod votes;

use super::Violation;
use crate::history::Evidence;

const PROPERTY: &str = "S14 Raft safety";

/// One part after the other; each says nothing where nobody looked inside.
pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    votes::one_in_a_term(evidence)?;
    positions::in_order(evidence)?;
    positions::never_fall(evidence)?;
    logs::one_entry_at_an_index(evidence)?;
    logs::match_each_other(evidence)?;
    committed::on_a_quorum(evidence)?;
    committed::in_every_leaders_log(evidence)
}

fn violation(what: String) -> Violation {
    Violation::new(PROPERTY, what)
}
