//! S2: the epoch that a queen is in, and the highest that a forager has seen, never become lower, across restarts too.

use std::collections::BTreeMap;

use super::Violation;
use crate::history::{Evidence, QueenStatus, What};

pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    let mut highest: BTreeMap<String, u64> = BTreeMap::new();
    for record in &evidence.records {
        let (who, epoch) = if let What::Status(QueenStatus { queen, epoch, .. }) = &record.what {
            (format!("queen-{queen}"), *epoch)
        } else if let What::Learnt { forager, epoch, .. } = &record.what {
            (forager.clone(), *epoch)
        } else {
            continue;
        };
        let seen = highest.entry(who.clone()).or_default();
        if epoch < *seen {
            let what = format!("{who} is in epoch {epoch} after it was in epoch {seen}");
            return Err(Violation::new("S2 epoch order", what));
        }
        *seen = epoch;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{finds, with};
    use crate::history::{QueenStatus, What};

    #[test]
    fn a_queen_whose_epoch_falls_is_found() {
        finds(
            "S2",
            &with(|sample| {
                sample.add("poll-1", What::Status(QueenStatus { queen: 1, life: 2, epoch: 1, leads: false }));
            }),
        );
    }

    #[test]
    fn a_forager_that_forgets_an_epoch_is_found() {
        finds(
            "S2",
            &with(|sample| {
                sample.add("logs", What::Learnt { forager: "forager-1".into(), life: 2, epoch: 1 });
            }),
        );
    }
}
