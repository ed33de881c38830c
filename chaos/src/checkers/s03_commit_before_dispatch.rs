//! S3: what a leader sends is committed before.

use std::collections::BTreeMap;

use super::{Fact, Violation};
use crate::history::{Claim, Evidence, What};

/// The generation stands above these bits of a fence; below them is the index of the assignment.
const INDEX_BITS: u32 = 48;

/// Where somebody looked inside: whoever sends an assignment has applied it before.
pub(super) fn check_claims(evidence: &Evidence) -> Result<(), Violation> {
    let mut applied: BTreeMap<(u16, u32), u64> = BTreeMap::new();
    for record in &evidence.records {
        if let What::Applied { queen, life, index, .. } = &record.what {
            applied.insert((*queen, *life), *index);
        } else if let What::Installed { queen, life, last } = &record.what {
            let upto = applied.entry((*queen, *life)).or_default();
            *upto = (*upto).max(*last);
        }
        let What::Claim { queen, life, claim: Claim::Dispatched { epoch, fence } } = &record.what else { continue };
        let (index, upto) = (fence & ((1 << INDEX_BITS) - 1), applied.get(&(*queen, *life)).copied());
        // Who begins with a snapshot has applied what is in it, and applies something of her own before she leads.
        if upto.is_some_and(|upto| upto < index) {
            let what =
                format!("queen-{queen} sent the attempt of fence {fence} in epoch {epoch}, and had applied {upto:?}");
            return Err(Violation::new("S3 commit before dispatch", what));
        }
    }
    Ok(())
}

pub(super) fn check(facts: &[Fact]) -> Result<(), Violation> {
    for fact in facts {
        if let Fact::Dispatched { attempt, committed: false, .. } = fact {
            return Err(Violation::new(
                "S3 commit before dispatch",
                format!("{attempt} was sent before it was committed"),
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkers::s05_single_start::tests::attempt;
    use crate::checkers::sample::{claim, finds, with};

    #[test]
    fn an_early_dispatch_is_found() {
        let sent = |committed| Fact::Dispatched { epoch: antfarm_model::Epoch(1), attempt: attempt(0, 1), committed };
        assert!(check(&[sent(true)]).is_ok());
        assert!(check(&[sent(true), sent(false)]).is_err());
    }

    #[test]
    fn an_assignment_that_is_sent_before_it_is_applied_is_found() {
        let dispatched = crate::history::Claim::Dispatched { epoch: 2, fence: 31 };
        finds("S3", &with(|sample| sample.add("queen-1", claim(1, dispatched))));
    }

    #[test]
    fn a_real_start_that_no_entry_assigned_is_found() {
        finds("S3", &with(|sample| sample.run_again("write", 22)));
    }
}
