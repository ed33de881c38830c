//! S2: the epoch that a queen is in, and the highest that a forager has seen, never become lower, across restarts too; and
//! neither do terms along the log.

use std::collections::BTreeMap;

use super::Violation;
use crate::history::{Evidence, Progress, QueenStatus, What};

const PROPERTY: &str = "S2 epoch order";

pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    nobody_goes_back(evidence)?;
    terms_rise_along_the_log(evidence)
}

fn nobody_goes_back(evidence: &Evidence) -> Result<(), Violation> {
    let mut highest: BTreeMap<String, u64> = BTreeMap::new();
    for record in &evidence.records {
        let (who, epoch) = if let What::Status(QueenStatus { queen, epoch, .. }) = &record.what {
            (format!("queen-{queen}"), *epoch)
        } else if let What::Learnt { forager, epoch, .. } = &record.what {
            (forager.clone(), *epoch)
        } else if let What::Progress(Progress { queen, term, .. }) = &record.what {
            (format!("the vote of queen-{queen}"), *term)
        } else {
            continue;
        };
        let seen = highest.entry(who.clone()).or_default();
        if epoch < *seen {
            let what = format!("{who} is in epoch {epoch} after it was in epoch {seen}");
            return Err(Violation::new(PROPERTY, what));
        }
        *seen = epoch;
    }
    Ok(())
}

/// Of entries that were applied. What differs between queens is S14's.
fn terms_rise_along_the_log(evidence: &Evidence) -> Result<(), Violation> {
    let applied = evidence.records.iter().filter_map(|record| {
        if let What::Applied { index, term, .. } = &record.what { Some((*index, *term)) } else { None }
    });
    let terms: Vec<(u64, u64)> = applied.collect::<BTreeMap<u64, u64>>().into_iter().collect();
    let falls = terms.windows(2).find(|pair| pair[0].1 > pair[1].1);
    falls.map_or(Ok(()), |pair| {
        let what = format!(
            "the entry at index {} has term {}, and the one at {} term {}",
            pair[0].0, pair[0].1, pair[1].0, pair[1].1
        );
        Err(Violation::new(PROPERTY, what))
    })
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
    fn terms_that_fall_along_the_log_are_found() {
        finds(
            "S2",
            &with(|sample| {
                let digest = "later".into();
                sample.add("queen-1", What::Applied { queen: 1, life: 1, index: 31, term: 1, digest });
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
