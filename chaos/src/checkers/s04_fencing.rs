//! S4: a forager that has seen an epoch starts nothing on the word of a lower one.

use std::collections::BTreeMap;

use super::{Fact, Violation};

pub(super) fn check(facts: &[Fact]) -> Result<(), Violation> {
    let mut highest = BTreeMap::new();
    for fact in facts {
        match fact {
            Fact::EpochSeen { forager, epoch } => {
                let seen = highest.entry(forager).or_insert(*epoch);
                *seen = (*seen).max(*epoch);
            }
            Fact::Started { forager, epoch, attempt, .. } => {
                if let Some(seen) = highest.get(forager).filter(|seen| *seen > epoch) {
                    let what = format!("{attempt} started on the word of epoch {epoch} after epoch {seen} was seen");
                    return Err(Violation::new("S4 fencing", what));
                }
            }
            Fact::Dispatched { .. } | Fact::Ended { .. } => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use antfarm_model::{Epoch, ForagerNo};

    use super::*;
    use crate::checkers::s05_single_start::tests::started;
    use crate::checkers::sample::{UNSEEN, attempt, finds, with};
    use crate::history::{AttemptStep, Line, Mark};

    #[test]
    fn a_start_in_a_lower_epoch_is_found() {
        let seen = |epoch| Fact::EpochSeen { forager: ForagerNo(0), epoch: Epoch(epoch) };
        assert!(check(&[seen(1), started(0, 1, 0)]).is_ok());
        assert!(check(&[seen(2), seen(1), started(0, 1, 0)]).is_err());
    }

    #[test]
    fn a_start_in_a_lower_epoch_is_found_inside() {
        finds(
            "S4",
            &with(|sample| {
                sample.add("forager-1", attempt("write", UNSEEN, AttemptStep::Starts { epoch: 1 }));
            }),
        );
    }

    #[test]
    fn a_real_start_long_after_one_in_a_higher_epoch_is_found() {
        finds(
            "S4",
            &with(|sample| {
                let start = sample.ledger[sample.line("write", Mark::Start)].clone();
                sample.ledger.push(Line { fence: UNSEEN, epoch: start.epoch - 1, at: start.at + 60_000, ..start });
            }),
        );
    }
}
