//! S19: members change one at a time, or through a joint configuration, and nobody who has forgotten all votes again.
//!
//! Configurations are held to what any change must keep: everybody sees the same one at an index, it has voters, and every
//! two that follow each other have a common quorum. What a change may ask for is not looked at: whether those who can be
//! reached would still be a quorum is the product's own question when it is asked.

use std::collections::{BTreeMap, BTreeSet};

use super::Violation;
use super::disks::{self, Disks};
use crate::history::{Claim, DiskStep, Evidence, Membership, What};

const PROPERTY: &str = "S19 membership";

pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    configurations_follow(evidence)?;
    nobody_votes_without_a_memory(evidence)
}

fn configurations_follow(evidence: &Evidence) -> Result<(), Violation> {
    let mut seen: BTreeMap<u64, &Membership> = BTreeMap::new();
    for record in &evidence.records {
        let What::Members { queen, membership } = &record.what else { continue };
        let first = *seen.entry(membership.index).or_insert(membership);
        if first.voters != membership.voters {
            let what = format!(
                "at index {} queen-{queen} has the voters {:?}, another {:?}",
                membership.index, membership.voters, first.voters
            );
            return Err(Violation::new(PROPERTY, what));
        }
    }
    let seen: Vec<&Membership> = seen.into_values().collect();
    if let Some(empty) = seen.iter().find(|one| one.voters.iter().any(BTreeSet::is_empty) || one.voters.is_empty()) {
        return Err(Violation::new(PROPERTY, format!("nobody votes at index {}", empty.index)));
    }
    for pair in seen.windows(2) {
        let [one, other] = pair else { continue };
        if !one.voters.iter().any(|left| other.voters.iter().any(|right| left.symmetric_difference(right).count() <= 1))
        {
            let what =
                format!("the voters {:?} follow {:?}: both could decide without each other", other.voters, one.voters);
            return Err(Violation::new(PROPERTY, what));
        }
    }
    Ok(())
}

/// A disk on which nothing is left belongs to a new member, which needs a new id.
fn nobody_votes_without_a_memory(evidence: &Evidence) -> Result<(), Violation> {
    let (mut disks, mut amnesiac) = (Disks::new(), BTreeSet::new());
    for record in &evidence.records {
        if let What::Disk { queen, step: DiskStep::Found { ballot, log, purged, snapshot }, .. } = &record.what {
            let is_empty = ballot.is_none() && log.is_empty() && purged.max(snapshot) == &0;
            let had = disks.get(queen).is_some_and(|disk| disk.ballot.is_some() || !disk.entries.is_empty());
            if is_empty && had {
                amnesiac.insert(*queen)
            } else {
                amnesiac.remove(queen)
            };
        }
        disks::note(&mut disks, &record.what);
        if let Some((queen, claim @ (Claim::Voted(_) | Claim::Matched { .. }), _)) = disks::claim(&disks, &record.what)
            && amnesiac.contains(&queen)
        {
            let what = format!("queen-{queen} said {claim:?} with an empty disk, under an id that had voted before");
            return Err(Violation::new(PROPERTY, what));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{BALLOT, claim, disk, finds, with};
    use crate::history::{Claim, DiskStep, Membership, What};

    fn members(index: u64, voters: &[u16]) -> What {
        let voters = vec![voters.iter().copied().collect()];
        What::Members { queen: 2, membership: Membership { index, voters } }
    }

    #[test]
    fn two_configurations_at_an_index_are_found() {
        finds("S19", &with(|sample| sample.add("queen-2", members(1, &[1, 2]))));
    }

    #[test]
    fn a_change_of_two_members_at_once_is_found() {
        finds("S19", &with(|sample| sample.add("queen-2", members(30, &[1, 4]))));
    }

    #[test]
    fn a_queen_that_lost_her_disk_and_votes_is_found() {
        finds(
            "S19",
            &with(|sample| {
                let empty = DiskStep::Found { ballot: None, log: vec![], purged: 0, snapshot: 0 };
                sample.add("queen-3", disk(3, empty));
                sample.add("queen-3", claim(3, Claim::Voted(BALLOT)));
            }),
        );
    }
}
