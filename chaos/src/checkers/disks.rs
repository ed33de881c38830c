//! What stands durably on the disk of each queen, replayed from what happened to it.

use std::collections::{BTreeMap, BTreeSet};

use crate::history::{Ballot, Claim, DiskStep, EntryId, Span, What};

/// The durable part of one queen.
#[derive(Debug, Clone, Default)]
pub(super) struct Disk {
    pub(super) ballot: Option<Ballot>,
    /// The term of each entry by its index.
    pub(super) log: BTreeMap<u64, u64>,
    pub(super) purged: u64,
    pub(super) snapshot: u64,
    /// Every ballot that ever was durable.
    pub(super) ballots: BTreeSet<Ballot>,
    /// Every entry that ever was durable.
    pub(super) entries: BTreeSet<EntryId>,
}

/// The disks of all queens about whom anything is known.
pub(super) type Disks = BTreeMap<u16, Disk>;

/// Takes notice of a record, if it is about a disk.
pub(super) fn note(disks: &mut Disks, what: &What) {
    if let What::Disk { queen, step, .. } = what {
        disks.entry(*queen).or_default().take(step);
    }
}

/// A queen's claim, with her disk as it is in that moment; nothing for another record, or where nobody saw her disk.
pub(super) fn claim<'a>(disks: &'a Disks, what: &'a What) -> Option<(u16, &'a Claim, &'a Disk)> {
    let What::Claim { queen, claim, .. } = what else { return None };
    Some((*queen, claim, disks.get(queen)?))
}

/// Entries one by one.
pub(super) fn one_by_one(spans: &[Span]) -> impl Iterator<Item = EntryId> {
    spans.iter().flat_map(|span| (span.first..=span.last).map(|index| EntryId { index, term: span.term }))
}

impl Disk {
    fn take(&mut self, step: &DiskStep) {
        match step {
            DiskStep::Found { ballot, log, purged, snapshot } => {
                (self.ballot, self.purged, self.snapshot) = (*ballot, *purged, *snapshot);
                self.ballots.extend(*ballot);
                self.log.clear();
                self.keep(log);
            }
            DiskStep::Voted(ballot) => {
                self.ballot = Some(*ballot);
                self.ballots.insert(*ballot);
            }
            DiskStep::Kept { entries } => self.keep(entries),
            DiskStep::Truncated { after } => drop(self.log.split_off(&(after + 1))),
            DiskStep::Purged { upto } => {
                self.purged = self.purged.max(*upto);
                self.log = self.log.split_off(&(upto + 1));
            }
            DiskStep::Snapshot { last } => self.snapshot = self.snapshot.max(last.index),
            DiskStep::Refused { .. }
            | DiskStep::Failed { .. }
            | DiskStep::Stalled
            | DiskStep::Resumed
            | DiskStep::Damaged { .. } => {}
        }
    }

    fn keep(&mut self, spans: &[Span]) {
        for entry in one_by_one(spans) {
            self.log.insert(entry.index, entry.term);
            self.entries.insert(entry);
        }
    }

    /// Up to where entries are in the snapshot, or were.
    pub(super) fn compacted(&self) -> u64 {
        self.snapshot.max(self.purged)
    }

    /// Whether it holds an entry, in the log or in its snapshot.
    pub(super) fn holds(&self, entry: EntryId) -> bool {
        entry.index <= self.compacted() || self.log.get(&entry.index) == Some(&entry.term)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_holds_what_was_kept_and_not_removed() {
        let mut disk = Disk::default();
        let kept = |term, first, last| DiskStep::Kept { entries: vec![Span { term, first, last }] };
        for step in [kept(1, 1, 9), DiskStep::Truncated { after: 6 }, kept(2, 7, 8), DiskStep::Purged { upto: 3 }] {
            disk.take(&step);
        }
        assert_eq!(disk.log, [(4, 1), (5, 1), (6, 1), (7, 2), (8, 2)].into());
        assert!(disk.holds(EntryId { index: 2, term: 1 }) && disk.holds(EntryId { index: 7, term: 2 }));
        assert!(!disk.holds(EntryId { index: 7, term: 1 }) && !disk.holds(EntryId { index: 9, term: 1 }));
        assert!(disk.entries.contains(&EntryId { index: 9, term: 1 }));
    }
}
