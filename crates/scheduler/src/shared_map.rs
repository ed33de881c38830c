//! A sorted map in shared blocks: a copy costs one pointer for each block, a change copies at most two blocks.

use std::sync::Arc;

use crate::memory::{COUNTERS, allocated};

/// Entries in a block, at most.
const BLOCK: usize = 256;

/// A sorted map whose copies share what neither of them changed since: a B-tree of two levels.
#[derive(Debug, Clone)]
pub(crate) struct SharedMap<K, V> {
    /// None is empty; all keys of one are less than those of the next.
    blocks: Vec<Arc<Vec<(K, V)>>>,
}

impl<K, V> Default for SharedMap<K, V> {
    fn default() -> Self {
        Self { blocks: Vec::new() }
    }
}

impl<K: Ord + Clone, V: Clone> SharedMap<K, V> {
    /// The value of a key.
    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        let (block, at) = self.place(key).ok()?;
        Some(&self.blocks[block][at].1)
    }

    /// Whether there is a value of a key.
    pub(crate) fn contains_key(&self, key: &K) -> bool {
        self.place(key).is_ok()
    }

    /// Sets the value of a key.
    pub(crate) fn insert(&mut self, key: K, value: V) {
        match self.place(&key) {
            Ok((block, at)) => Arc::make_mut(&mut self.blocks[block])[at].1 = value,
            Err(_) if self.blocks.is_empty() => self.blocks.push(Arc::new(vec![(key, value)])),
            Err((block, at)) => {
                let entries = Arc::make_mut(&mut self.blocks[block]);
                entries.insert(at, (key, value));
                if entries.len() > BLOCK {
                    let upper = entries.split_off(BLOCK / 2);
                    self.blocks.insert(block + 1, Arc::new(upper));
                }
            }
        }
    }

    /// Takes out a key with its value.
    pub(crate) fn remove(&mut self, key: &K) {
        let Ok((block, at)) = self.place(key) else { return };
        let entries = Arc::make_mut(&mut self.blocks[block]);
        entries.remove(at);
        if entries.is_empty() {
            self.blocks.remove(block);
            return;
        }
        self.join(block);
        self.join(block.saturating_sub(1));
    }

    /// Joins a block and the next one where both together have few entries.
    fn join(&mut self, block: usize) {
        let few = |pair: &[Arc<Vec<(K, V)>>]| pair.iter().map(|entries| entries.len()).sum::<usize>() <= BLOCK / 2;
        if self.blocks.get(block..block + 2).is_some_and(few) {
            let next = self.blocks.remove(block + 1);
            Arc::make_mut(&mut self.blocks[block]).extend(next.iter().cloned());
        }
    }

    /// All entries, by rising keys.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.blocks.iter().flat_map(|block| block.iter()).map(|(key, value)| (key, value))
    }

    /// The bytes that it takes, without what its entries own beside.
    pub(crate) fn bytes(&self) -> usize {
        let entries = |block: &Arc<Vec<(K, V)>>| allocated(block.capacity() * size_of::<(K, V)>());
        let block = |block| allocated(COUNTERS + size_of::<Vec<(K, V)>>()) + entries(block);
        self.blocks.iter().map(block).sum()
    }

    /// Where an entry is; or where it would be.
    fn place(&self, key: &K) -> Result<(usize, usize), (usize, usize)> {
        let not_behind = |block: &Arc<Vec<(K, V)>>| block.first().is_some_and(|(first, _)| first <= key);
        let block = self.blocks.partition_point(not_behind).saturating_sub(1);
        let entries = self.blocks.get(block).map_or(&[][..], |entries| entries.as_slice());
        let place = entries.binary_search_by(|(other, _)| other.cmp(key));
        place.map(|at| (block, at)).map_err(|at| (block, at))
    }
}

/// Equal if they have the same entries, whatever their blocks.
impl<K: Ord + Clone, V: Clone + PartialEq> PartialEq for SharedMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// A permutation of the numbers below 4,096.
    fn shuffled() -> impl Iterator<Item = u32> {
        (0..4_096_u32).map(|number| number.wrapping_mul(2_731).wrapping_add(17) % 4_096)
    }

    #[test]
    fn it_is_a_sorted_map() {
        let (mut shared, mut sorted) = (SharedMap::default(), BTreeMap::new());
        for key in shuffled() {
            shared.insert(key, key / 2);
            sorted.insert(key, key / 2);
        }
        shared.insert(7, 0);
        sorted.insert(7, 0);
        assert!(shared.iter().eq(sorted.iter()));
        for key in shuffled().skip(5).step_by(3).chain([5_000]) {
            shared.remove(&key);
            sorted.remove(&key);
            assert_eq!((shared.get(&key), shared.contains_key(&key)), (None, false));
        }
        assert!(shared.iter().eq(sorted.iter()));
        assert!((0..4_200).all(|key| shared.get(&key) == sorted.get(&key)));
        for key in sorted.keys() {
            shared.remove(key);
        }
        assert!(shared.blocks.is_empty());
    }

    #[test]
    fn blocks_are_neither_too_full_nor_kept_nearly_empty() {
        let mut shared = SharedMap::default();
        shuffled().for_each(|key| shared.insert(key, ()));
        assert!(shared.blocks.iter().all(|block| block.len() <= BLOCK));
        (0..4_096).filter(|key| key % 64 != 0).for_each(|key| shared.remove(&key));
        assert_eq!(shared.iter().count(), 64);
        assert!(shared.blocks.len() <= 4, "{} blocks", shared.blocks.len());
    }

    #[test]
    fn a_copy_shares_the_blocks_that_do_not_change() {
        let mut shared: SharedMap<u32, u32> = SharedMap::default();
        shuffled().for_each(|key| shared.insert(key, 0));
        let copy = shared.clone();
        shared.insert(2_000, 1);
        assert_eq!((copy.get(&2_000), shared.get(&2_000)), (Some(&0), Some(&1)));
        let unshared = shared.blocks.iter().zip(&copy.blocks).filter(|(own, others)| !Arc::ptr_eq(own, others));
        assert_eq!(unshared.count(), 1);
        assert!(copy != shared);
    }
}
