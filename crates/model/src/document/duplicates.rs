//! Duplicate keys: every one is a fault, and the first one counts.

use std::collections::BTreeMap;

use super::faults::Faults;
use super::path::Path;
use super::quote::quote;
use super::{Key, Tree};

/// Maps up to this length are compared key by key with each other.
const SMALL: usize = 8;

/// Removes entries whose key stands earlier in the map, each with a fault.
pub(super) fn remove<'a>(entries: &mut Vec<(Key<'a>, Tree<'a>)>, path: &Path<'_>, faults: &mut Faults) {
    let first_of = find(entries);
    if first_of.is_empty() {
        return;
    }
    for (&index, &first) in &first_of {
        let key = &entries[index].0;
        let (line, column) = entries[first].0.position;
        faults.add(&Path::Key(path, &key.text), key.position, || {
            format!("the key {} stands here again; it is at {line}:{column} already", quote(&key.text))
        });
    }
    let mut index = 0;
    entries.retain(|_| {
        index += 1;
        !first_of.contains_key(&(index - 1))
    });
}

/// The positions of duplicates, each with the position of the first entry of that key.
fn find(entries: &[(Key<'_>, Tree<'_>)]) -> BTreeMap<usize, usize> {
    let text = |index: usize| &*entries[index].0.text;
    let rising = || (1..entries.len()).all(|index| text(index - 1) < text(index));
    let apart = || (1..entries.len()).all(|index| (0..index).all(|other| text(index) != text(other)));
    if if entries.len() <= SMALL { apart() } else { rising() } {
        return BTreeMap::new();
    }
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|index| text(*index));
    let groups = order.chunk_by(|a, b| text(*a) == text(*b));
    groups.flat_map(|group| group[1..].iter().map(|index| (*index, group[0]))).collect()
}
