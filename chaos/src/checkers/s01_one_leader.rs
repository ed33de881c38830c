//! S1: in one epoch one queen leads, in one life of its process.

use std::collections::BTreeMap;

use super::Violation;
use crate::history::{Claim, Evidence, QueenStatus, What};

/// By what queens say of themselves while they run, by what their logs say of when they took office, and by what they
/// send to foragers.
pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    let mut leaders = BTreeMap::new();
    for record in &evidence.records {
        let (queen, life, epoch) = if let What::Leads { queen, life, epoch } = &record.what {
            (*queen, *life, *epoch)
        } else if let What::Status(QueenStatus { queen, life, epoch, leads: true }) = &record.what {
            (*queen, *life, *epoch)
        } else if let What::Claim { queen, life, claim: Claim::Dispatched { epoch, .. } } = &record.what {
            (*queen, *life, *epoch)
        } else {
            continue;
        };
        let leader = *leaders.entry(epoch).or_insert((queen, life));
        if leader != (queen, life) {
            let what = format!(
                "in epoch {epoch} both queen-{} (life {}) and queen-{queen} (life {life}) lead",
                leader.0, leader.1
            );
            return Err(Violation::new("S1 one leader", what));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{claim, finds, with};
    use crate::history::{QueenStatus, What};

    #[test]
    fn a_second_leader_of_an_epoch_is_found() {
        finds(
            "S1",
            &with(|sample| {
                sample.add("poll-2", What::Status(QueenStatus { queen: 2, life: 1, epoch: 2, leads: true }));
            }),
        );
    }

    #[test]
    fn a_queen_that_dispatches_in_the_epoch_of_another_is_found() {
        let dispatched = crate::history::Claim::Dispatched { epoch: 2, fence: 10 };
        finds("S1", &with(|sample| sample.add("queen-2", claim(2, dispatched))));
    }

    #[test]
    fn a_queen_that_resumes_office_in_another_life_is_found() {
        finds("S1", &with(|sample| sample.add("logs", What::Leads { queen: 1, life: 2, epoch: 2 })));
    }
}
