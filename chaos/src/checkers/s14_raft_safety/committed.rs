//! What a leader calls committed stands on the disks of a quorum, and in the log of every later leader.

use std::collections::BTreeSet;

use super::super::Violation;
use super::super::disks::{self, Disks};
use super::violation;
use crate::history::{Claim, EntryId, Evidence, What};

/// The generation stands above these bits of an epoch.
const TERM_BITS: u32 = 48;

pub(super) fn on_a_quorum(evidence: &Evidence) -> Result<(), Violation> {
    let mut disks = Disks::new();
    let voters = all_configurations(evidence);
    for record in &evidence.records {
        disks::note(&mut disks, &record.what);
        let Some((queen, Claim::Committed { upto }, _)) = disks::claim(&disks, &record.what) else { continue };
        let holds = |voter: &&u16| disks.get(voter).is_some_and(|disk| disk.holds(*upto));
        // Of any configuration that ever was: a leader goes by the one that she has appended, which others see later.
        let enough = voters.is_empty() || voters.iter().any(|set| set.iter().filter(holds).count() > set.len() / 2);
        if !enough {
            let on: Vec<&u16> = voters.iter().flatten().filter(holds).collect();
            let what =
                format!("queen-{queen} called {upto:?} committed, which stood on the disks of {on:?} of {voters:?}");
            return Err(violation(what));
        }
    }
    Ok(())
}

/// Every set of voters that somebody saw, and the one that the run began with.
fn all_configurations(evidence: &Evidence) -> BTreeSet<BTreeSet<u16>> {
    let first = evidence.plan().map(|plan| (1..=plan.queens).collect());
    let seen = evidence.records.iter().filter_map(|record| {
        if let What::Members { membership, .. } = &record.what { Some(membership.voters.iter().cloned()) } else { None }
    });
    first.into_iter().chain(seen.flatten()).collect()
}

/// Leader completeness.
pub(super) fn in_every_leaders_log(evidence: &Evidence) -> Result<(), Violation> {
    let mut disks = Disks::new();
    let mut committed: BTreeSet<(u64, u64)> = BTreeSet::new(); // by term, then index
    for record in &evidence.records {
        disks::note(&mut disks, &record.what);
        if let Some((_, Claim::Committed { upto }, _)) = disks::claim(&disks, &record.what) {
            committed.insert((upto.term, upto.index));
        }
        let What::Leads { queen, epoch, .. } = &record.what else { continue };
        let term = epoch & ((1 << TERM_BITS) - 1);
        let Some(disk) = disks.get(queen) else { continue };
        let last = committed.range(..(term, 0)).next_back().map(|(term, index)| EntryId { index: *index, term: *term });
        if let Some(last) = last.filter(|last| !disk.holds(*last)) {
            let what = format!("queen-{queen} leads in term {term} without {last:?}, which was committed before");
            return Err(violation(what));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{claim, disk, finds, with};
    use crate::history::{Claim, DiskStep, EntryId, Span, What};

    #[test]
    fn what_only_one_disk_holds_is_not_committed() {
        finds(
            "S14",
            &with(|sample| {
                let entries = vec![Span { term: 2, first: 31, last: 31 }];
                sample.add("queen-1", disk(1, DiskStep::Kept { entries }));
                sample.add("queen-1", claim(1, Claim::Committed { upto: EntryId { index: 31, term: 2 } }));
            }),
        );
    }

    #[test]
    fn a_leader_without_a_committed_entry_is_found() {
        finds(
            "S14",
            &with(|sample| {
                sample.add("queen-3", disk(3, DiskStep::Truncated { after: 20 }));
                sample.add("queen-3", What::Leads { queen: 3, life: 1, epoch: 3 });
            }),
        );
    }
}
