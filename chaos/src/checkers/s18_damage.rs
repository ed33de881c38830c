//! S18: what a queen finds on her disk is what was durable there, or she refuses to begin. Only damage makes her refuse.

use std::collections::BTreeSet;

use super::Violation;
use super::disks::{self, Disk, Disks};
use crate::history::{Ballot, DiskStep, Evidence, Span, What};

const PROPERTY: &str = "S18 damage is detected";

pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    let mut disks = Disks::new();
    let mut excused = BTreeSet::new(); // queens whose disks were damaged, or failed, since they last began
    for record in &evidence.records {
        if let What::Disk { queen, step, .. } = &record.what {
            match step {
                DiskStep::Found { ballot, log, purged, snapshot } => {
                    excused.remove(queen);
                    let former = disks.get(queen).cloned().unwrap_or_default();
                    let lost = lost(&former, *ballot, log, (*purged).max(*snapshot));
                    if let Some(lost) = lost {
                        return Err(Violation::new(PROPERTY, format!("queen-{queen} began without {lost}")));
                    }
                }
                DiskStep::Refused { why } if !excused.contains(queen) => {
                    let what = format!("queen-{queen} refused to begin with a disk that nothing had damaged: {why}");
                    return Err(Violation::new(PROPERTY, what));
                }
                DiskStep::Damaged { .. } | DiskStep::Failed { .. } => drop(excused.insert(*queen)),
                DiskStep::Refused { .. }
                | DiskStep::Voted(_)
                | DiskStep::Kept { .. }
                | DiskStep::Truncated { .. }
                | DiskStep::Purged { .. }
                | DiskStep::Snapshot { .. }
                | DiskStep::Stalled
                | DiskStep::Resumed => {}
            }
        }
        disks::note(&mut disks, &record.what);
    }
    Ok(())
}

/// What was durable and is not found. A disk on which there is nothing at all is another one, which S19 looks at.
fn lost(former: &Disk, ballot: Option<Ballot>, log: &[Span], compacted: u64) -> Option<String> {
    if ballot.is_none() && log.is_empty() && compacted == 0 {
        return None;
    }
    if former.ballot > ballot {
        return Some(format!("the vote {:?}, and found {ballot:?}", former.ballot));
    }
    let found: BTreeSet<_> = disks::one_by_one(log).collect();
    let mut entries = former.log.iter().map(|(index, term)| crate::history::EntryId { index: *index, term: *term });
    let missing = entries.find(|entry| entry.index > compacted && !found.contains(entry));
    let snapshot = (former.compacted() > compacted).then(|| format!("the snapshot up to index {}", former.compacted()));
    missing.map(|entry| format!("{entry:?}, which had been durable")).or(snapshot)
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{BALLOT, disk, finds, with};
    use crate::history::{Ballot, DiskStep, Span};

    fn found(ballot: Option<Ballot>, last: u64) -> crate::history::Evidence {
        with(|sample| {
            let log = vec![Span { term: 2, first: 1, last }];
            sample.add("queen-3", disk(3, DiskStep::Found { ballot, log, purged: 0, snapshot: 0 }));
        })
    }

    #[test]
    fn a_log_that_has_lost_its_end_is_found() {
        finds("S18", &found(Some(BALLOT), 29));
    }

    #[test]
    fn a_vote_that_is_gone_is_found() {
        finds("S18", &found(None, 30));
    }

    #[test]
    fn a_queen_that_refuses_a_whole_disk_is_found() {
        finds("S18", &with(|sample| sample.add("queen-3", disk(3, DiskStep::Refused { why: "damaged".into() }))));
    }
}
