//! S16: no vote and no entry is acknowledged before it is durable.

use super::Violation;
use super::disks::{self, Disk, Disks};
use crate::history::{Claim, Evidence};

/// Whatever a queen claims to hold was durable on her disk at some time before: what she held and was told to remove
/// may still be spoken of by a leader who is told late.
pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    let mut disks = Disks::new();
    for record in &evidence.records {
        disks::note(&mut disks, &record.what);
        let Some((queen, claim, disk)) = disks::claim(&disks, &record.what) else { continue };
        if !is_covered(claim, disk) {
            let what = format!(
                "queen-{queen} said {claim:?}, and her disk has {:?} and {:?}",
                disk.ballot,
                disk.log.last_key_value()
            );
            return Err(Violation::new("S16 durable before reply", what));
        }
    }
    Ok(())
}

fn is_covered(claim: &Claim, disk: &Disk) -> bool {
    match claim {
        Claim::Voted(ballot) => disk.ballots.contains(ballot),
        Claim::Matched { term, upto } => {
            let at = |term| crate::history::EntryId { index: *upto, term };
            *upto <= disk.compacted() || disk.entries.range(at(0)..=at(*term)).next().is_some()
        }
        Claim::Committed { .. } | Claim::Dispatched { .. } => true,
    }
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{claim, finds, with};
    use crate::history::{Ballot, Claim};

    #[test]
    fn a_vote_that_is_told_before_it_is_durable_is_found() {
        finds("S16", &with(|sample| sample.add("queen-2", claim(2, Claim::Voted(Ballot { term: 7, candidate: 2 })))));
    }

    #[test]
    fn an_entry_that_is_acknowledged_before_it_is_durable_is_found() {
        finds("S16", &with(|sample| sample.add("queen-2", claim(2, Claim::Matched { term: 2, upto: 31 }))));
    }
}
