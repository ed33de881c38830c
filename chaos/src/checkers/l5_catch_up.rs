//! L5: a queen that was away has soon everything that the others had when all was whole again, with few snapshots.

use std::collections::BTreeMap;

use super::Violation;
use crate::history::{Evidence, Phase, What};

const PROPERTY: &str = "L5 catch-up";

/// From the end of all faults: an election, and a snapshot or a few thousand entries to a queen that has to sync them,
/// while the work goes on.
const WITHIN_MS: u64 = 10_000;

/// Snapshots that a life of hers may be sent from then on.
const MOST_SNAPSHOTS: usize = 2;

pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    let healed = |what: &What| matches!(what, What::Phase { phase: Phase::Healed });
    let Some(place) = evidence.records.iter().position(|record| healed(&record.what)) else { return Ok(()) };
    let (before, after) = evidence.records.split_at(place);
    let wanted =
        before.iter().filter_map(|record| applied(&record.what)).map(|(_, applied)| applied).max().unwrap_or(0);
    let healed_at = after[0].at_us;
    let mut caught_up = BTreeMap::new();
    let mut snapshots: BTreeMap<(u16, u32), usize> = BTreeMap::new();
    for record in after {
        if let Some((queen, _)) = applied(&record.what).filter(|(_, applied)| *applied >= wanted) {
            caught_up.entry(queen).or_insert(record.at_us);
        }
        let What::Installed { queen, life, last } = &record.what else { continue };
        let number = snapshots.entry((*queen, *life)).or_default();
        *number += 1;
        if *number > MOST_SNAPSHOTS {
            let what = format!(
                "after the end of all faults queen-{queen} (life {life}) was sent {number} snapshots, the last one up to {last}"
            );
            return Err(Violation::new(PROPERTY, what));
        }
    }
    let ended_at = after.last().map_or(healed_at, |record| record.at_us);
    for queen in 1..=evidence.plan().map_or(0, |plan| plan.queens) {
        let lasted_us = caught_up.get(&queen).unwrap_or(&ended_at) - healed_at;
        if lasted_us > WITHIN_MS * 1_000 {
            let what = format!(
                "{} ms after the end of all faults queen-{queen} was still before index {wanted}",
                lasted_us / 1_000
            );
            return Err(Violation::new(PROPERTY, what));
        }
    }
    Ok(())
}

fn applied(what: &What) -> Option<(u16, u64)> {
    if let What::Position { queen, applied, .. } = what { Some((*queen, *applied)) } else { None }
}

#[cfg(test)]
mod tests {
    use super::{MOST_SNAPSHOTS, WITHIN_MS};
    use crate::checkers::sample::{finds, position, with};
    use crate::history::{Phase, What};

    #[test]
    fn a_queen_that_stays_behind_is_found() {
        finds(
            "L5",
            &with(|sample| {
                sample.add("nemesis", What::Phase { phase: Phase::Healed });
                sample.add("poll", position(1, 30));
                sample.add("poll", position(2, 30));
                sample.wait_ms(WITHIN_MS + 1);
                sample.add("poll", position(3, 30));
            }),
        );
    }

    #[test]
    fn snapshots_without_end_are_found() {
        finds(
            "L5",
            &with(|sample| {
                sample.add("nemesis", What::Phase { phase: Phase::Healed });
                for last in 0..=MOST_SNAPSHOTS {
                    sample.add("inside", What::Installed { queen: 3, life: 1, last: last as u64 });
                }
            }),
        );
    }
}
