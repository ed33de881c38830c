//! How much memory the state takes, counted from what it holds.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::size_of;
use std::sync::Arc;

use crate::forager::{Attempt, Forager};
use crate::graph_record::GraphRecord;
use crate::instances::AttemptId;
use crate::state::Core;

/// What an allocator sets aside for so many bytes: it notes their number, and rounds up.
pub(crate) const fn allocated(bytes: usize) -> usize {
    let least = 32;
    let with_note = (bytes + size_of::<usize>()).next_multiple_of(16);
    if bytes == 0 {
        0
    } else if with_note < least {
        least
    } else {
        with_note
    }
}

/// A counted reference's two counters, in front of what is shared.
pub(crate) const COUNTERS: usize = 2 * size_of::<usize>();

/// The bytes behind a shared text.
pub(crate) fn of_text(text: &Arc<str>) -> usize {
    allocated(COUNTERS + text.len())
}

/// The bytes of a sorted map. Its blocks are about two thirds full.
pub(crate) fn of_map<K, V>(map: &BTreeMap<K, V>) -> usize {
    of_entries::<(K, V)>(map.len())
}

/// The bytes of a sorted set. Its blocks are about two thirds full.
pub(crate) fn of_set<T>(set: &BTreeSet<T>) -> usize {
    of_entries::<T>(set.len())
}

/// The bytes of so many entries of a sorted map.
pub(crate) const fn of_entries<T>(number: usize) -> usize {
    number * size_of::<T>() * 3 / 2
}

/// The bytes of everything that is stored. O(chunks) and what has changed since it was asked last.
pub(crate) fn of_core(core: &Core) -> usize {
    let graphs: usize = core.graphs.values().map(|graph| graph.bytes()).sum();
    let foragers: usize = core.foragers.values().map(|forager| of_forager(forager)).sum();
    let parts = core.uploads.values().flat_map(|upload| upload.parts.values());
    let uploads: usize = parts.map(|part| allocated(COUNTERS + part.len())).sum();
    let names: usize = core.tombstones.iter().map(|(name, _)| allocated(COUNTERS + name.as_str().len())).sum();
    graphs + foragers + uploads + names + core.tombstones.bytes() + of_map(&core.graphs) + of_map(&core.tools)
}

fn of_forager(forager: &Forager) -> usize {
    size_of::<Forager>() + of_entries::<(AttemptId, Attempt)>(forager.open_count() as usize)
}

impl GraphRecord {
    /// The bytes that it takes. O(chunks) and what has changed since it was asked last.
    fn bytes(&self) -> usize {
        let instances = self.instances.bytes(crate::Instance::story_bytes);
        size_of::<Self>() + self.shape.bytes() + self.progress.bytes(|_| 0) + instances
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allocation_takes_no_less_than_was_asked_for() {
        assert_eq!([0, 1, 24, 25, 120, 121].map(allocated), [0, 32, 32, 48, 128, 144]);
    }
}
