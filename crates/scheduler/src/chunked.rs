//! A vector in shared chunks: a copy costs one pointer for each chunk, a change copies at most one chunk.

use std::sync::Arc;

use crate::memory::{COUNTERS, allocated};

/// Elements in a chunk.
const CHUNK: usize = 256;

/// A vector whose copies share what neither of them changed since.
#[derive(Debug, Clone, PartialEq)]
pub struct Chunked<T> {
    chunks: Vec<Arc<Vec<T>>>,
    len: usize,
}

impl<T> Default for Chunked<T> {
    fn default() -> Self {
        Self { chunks: Vec::new(), len: 0 }
    }
}

impl<T: Clone> Chunked<T> {
    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The element at `position`.
    pub fn get(&self, position: usize) -> Option<&T> {
        self.chunks.get(position / CHUNK)?.get(position % CHUNK)
    }

    /// The element at `position`, to be changed; its chunk is copied if it is shared.
    pub fn get_mut(&mut self, position: usize) -> Option<&mut T> {
        Arc::make_mut(self.chunks.get_mut(position / CHUNK)?).get_mut(position % CHUNK)
    }

    /// Adds an element at the end.
    pub fn push(&mut self, element: T) {
        if self.len.is_multiple_of(CHUNK) {
            self.chunks.push(Arc::new(Vec::with_capacity(1)));
        }
        if let Some(last) = self.chunks.last_mut() {
            Arc::make_mut(last).push(element);
            self.len += 1;
        }
    }

    /// All elements, in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flat_map(|chunk| chunk.iter())
    }

    /// Chunks that are not the very same as in the other.
    #[cfg(test)]
    pub(crate) fn unshared_with(&self, other: &Self) -> usize {
        self.chunks.iter().zip(&other.chunks).filter(|(own, others)| !Arc::ptr_eq(own, others)).count()
    }

    /// The bytes that it takes, without what its elements own beside.
    pub(crate) fn bytes(&self) -> usize {
        let chunk = |chunk: &Arc<Vec<T>>| {
            allocated(COUNTERS + size_of::<Vec<T>>()) + allocated(chunk.capacity() * size_of::<T>())
        };
        allocated(self.chunks.capacity() * size_of::<Arc<Vec<T>>>()) + self.chunks.iter().map(chunk).sum::<usize>()
    }
}

impl<T: Clone> FromIterator<T> for Chunked<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let mut all = Self::default();
        for element in elements {
            all.push(element);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_does_not_see_later_changes() {
        let mut numbers: Chunked<usize> = (0..1_000).collect();
        let copy = numbers.clone();
        *numbers.get_mut(700).expect("there are a thousand") = 0;
        numbers.push(1_000);
        assert_eq!((copy.get(700), copy.len()), (Some(&700), 1_000));
        assert_eq!((numbers.get(700), numbers.len()), (Some(&0), 1_001));
        assert!(copy.iter().copied().eq(0..1_000));
    }

    #[test]
    fn only_the_changed_chunk_is_copied() {
        let mut numbers: Chunked<usize> = (0..1_000).collect();
        let copy = numbers.clone();
        *numbers.get_mut(300).expect("there are a thousand") = 0;
        assert_eq!(numbers.unshared_with(&copy), 1);
    }
}
