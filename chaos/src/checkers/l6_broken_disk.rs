//! L6: a leader who cannot write is soon none any more, and the cluster serves again.

use std::collections::BTreeMap;

use super::Violation;
use super::l1_leader::{self, reached};
use crate::history::{Claim, DiskStep, Evidence, Goal, QueenStatus, What};

const PROPERTY: &str = "L6 a leader without a disk";

/// How long a disk may hang before its queen has to give up office: longer than the slowest sync of a busy disk, which
/// must not cost a leader her office. With the default time-outs she takes 3 s for a standstill, and looks every 500 ms.
const HANGS_FOR_MS: u64 = 5_000;

pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    let mut broken = BTreeMap::new();
    for record in &evidence.records {
        if let What::Disk { queen, life, step } = &record.what {
            match step {
                DiskStep::Failed { .. } => {
                    broken.entry((*queen, *life)).or_insert(record.at_us);
                }
                // Once more, if she has stood still herself.
                DiskStep::Stalled => drop(broken.insert((*queen, *life), record.at_us)),
                DiskStep::Resumed => drop(broken.remove(&(*queen, *life))),
                DiskStep::Found { .. }
                | DiskStep::Refused { .. }
                | DiskStep::Voted(_)
                | DiskStep::Kept { .. }
                | DiskStep::Truncated { .. }
                | DiskStep::Purged { .. }
                | DiskStep::Snapshot { .. }
                | DiskStep::Damaged { .. } => {}
            }
        }
        let Some(leader) = leader(&record.what) else { continue };
        if let Some(since) = broken.get(&leader).filter(|since| **since + HANGS_FOR_MS * 1_000 < record.at_us) {
            let (queen, life) = leader;
            let lasted = (record.at_us - since) / 1_000;
            let what = format!("queen-{queen} (life {life}) still leads {lasted} ms after her disk failed or stalled");
            return Err(Violation::new(PROPERTY, what));
        }
    }
    reached(evidence, Goal::ServesAgain, l1_leader::WITHIN_MS + HANGS_FOR_MS, PROPERTY)
}

/// Who does what only a leader does, or says that she leads.
fn leader(what: &What) -> Option<(u16, u32)> {
    if let What::Status(QueenStatus { queen, life, leads: true, .. }) = what {
        Some((*queen, *life))
    } else if let What::Claim { queen, life, claim: Claim::Committed { .. } | Claim::Dispatched { .. } } = what {
        Some((*queen, *life))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{disk, finds, with};
    use crate::history::{DiskStep, Goal, QueenStatus, What};

    #[test]
    fn a_leader_who_stays_without_a_disk_is_found() {
        finds(
            "L6",
            &with(|sample| {
                sample.add("queen-1", disk(1, DiskStep::Stalled));
                sample.wait_ms(super::HANGS_FOR_MS + 1);
                sample.add("poll-1", What::Status(QueenStatus { queen: 1, life: 1, epoch: 2, leads: true }));
            }),
        );
    }

    #[test]
    fn a_cluster_that_does_not_serve_again_is_found() {
        finds(
            "L6",
            &with(|sample| {
                let last_look = "no leader".into();
                sample.add("inside", What::Reached { goal: Goal::ServesAgain, after_ms: None, last_look });
            }),
        );
    }
}
