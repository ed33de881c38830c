//! `purged ≤ snapshot ≤ applied ≤ committed ≤ last`, and none of these falls while a process lives, but for `last`.

use std::collections::BTreeMap;

use super::super::Violation;
use super::violation;
use crate::history::{Evidence, Progress, What};

fn progress(evidence: &Evidence) -> impl Iterator<Item = &Progress> {
    evidence.records.iter().filter_map(|record| if let What::Progress(it) = &record.what { Some(it) } else { None })
}

pub(super) fn in_order(evidence: &Evidence) -> Result<(), Violation> {
    for it in progress(evidence) {
        let known = [it.purged, it.snapshot, Some(it.applied), Some(it.committed), it.last];
        let known: Vec<u64> = known.into_iter().flatten().collect();
        if !known.is_sorted() {
            return Err(violation(format!("a queen's positions are not in order: {it:?}")));
        }
    }
    Ok(())
}

pub(super) fn never_fall(evidence: &Evidence) -> Result<(), Violation> {
    let mut before: BTreeMap<(u16, u32), &Progress> = BTreeMap::new();
    for it in progress(evidence) {
        let Some(former) = before.insert((it.queen, it.life), it) else { continue };
        let falls = it.applied < former.applied
            || it.committed < former.committed
            || it.purged < former.purged
            || it.snapshot < former.snapshot;
        if falls {
            return Err(violation(format!("a queen goes back: first {former:?}, then {it:?}")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{finds, progress, with};
    use crate::history::What;

    #[test]
    fn more_applied_than_committed_is_found() {
        finds("S14", &with(|sample| sample.add("poll-1", What::Progress(progress(2, 31, 30)))));
    }

    #[test]
    fn a_commit_that_is_taken_back_is_found() {
        finds("S14", &with(|sample| sample.add("poll-1", What::Progress(progress(2, 20, 20)))));
    }
}
