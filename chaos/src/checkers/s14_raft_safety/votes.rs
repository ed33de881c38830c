//! A queen votes once in a term, and in no lower term afterwards, across restarts too.

use std::collections::BTreeMap;

use super::super::Violation;
use super::violation;
use crate::history::{Ballot, Claim, DiskStep, Evidence, What};

pub(super) fn one_in_a_term(evidence: &Evidence) -> Result<(), Violation> {
    let mut cast: BTreeMap<(u16, u64), u16> = BTreeMap::new();
    let mut written: BTreeMap<u16, u64> = BTreeMap::new();
    for record in &evidence.records {
        let Some((queen, ballot, is_on_disk)) = ballot(&record.what) else { continue };
        let former = *cast.entry((queen, ballot.term)).or_insert(ballot.candidate);
        if former != ballot.candidate {
            let what = format!(
                "in term {} queen-{queen} voted for queen-{former} and for queen-{}",
                ballot.term, ballot.candidate
            );
            return Err(violation(what));
        }
        let highest = written.entry(queen).or_default();
        if is_on_disk && ballot.term < *highest {
            let what = format!("queen-{queen} voted in term {} after she had voted in term {highest}", ballot.term);
            return Err(violation(what));
        }
        if is_on_disk {
            *highest = ballot.term;
        }
    }
    Ok(())
}

/// A vote that was written, found or told, and whether it stands on the disk.
fn ballot(what: &What) -> Option<(u16, Ballot, bool)> {
    if let What::Disk { queen, step: DiskStep::Voted(ballot), .. } = what {
        Some((*queen, *ballot, true))
    } else if let What::Claim { queen, claim: Claim::Voted(ballot), .. } = what {
        Some((*queen, *ballot, false))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{disk, finds, with};
    use crate::history::{Ballot, DiskStep};

    #[test]
    fn two_votes_in_a_term_are_found() {
        finds("S14", &with(|sample| sample.add("queen-2", disk(2, DiskStep::Voted(Ballot { term: 2, candidate: 2 })))));
    }

    #[test]
    fn a_vote_in_a_lower_term_is_found() {
        finds("S14", &with(|sample| sample.add("queen-2", disk(2, DiskStep::Voted(Ballot { term: 1, candidate: 3 })))));
    }
}
