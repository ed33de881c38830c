//! A vector in shared chunks: a copy costs one pointer for each chunk, a change copies at most one chunk.

use std::ops::Range;
use std::sync::Arc;

use crate::memo::Memo;
use crate::memory::{COUNTERS, allocated};

/// Elements in a chunk.
const CHUNK: usize = 256;

/// A vector whose copies share what neither of them changed since. Neighbours that are equal share a chunk as well, so
/// that a million elements with which nothing has happened take as much as 256 of them, and their pointers.
#[derive(Debug, Clone, PartialEq)]
pub struct Chunked<T> {
    chunks: Vec<Arc<Chunk<T>>>,
    len: usize,
}

/// Some elements, and what is asked of them again and again.
#[derive(Debug, Clone, PartialEq)]
struct Chunk<T> {
    elements: Vec<T>,
    digest: Memo<[u8; 32]>,
    bytes_beside: Memo<usize>,
}

impl<T> From<Vec<T>> for Chunk<T> {
    fn from(elements: Vec<T>) -> Self {
        Self { elements, digest: Memo::default(), bytes_beside: Memo::default() }
    }
}

impl<T: Clone> Chunk<T> {
    /// The elements, to be changed; of a chunk that is shared, a copy takes its place first.
    fn change(shared: &mut Arc<Self>) -> &mut Vec<T> {
        let chunk = Arc::make_mut(shared);
        chunk.digest.forget();
        chunk.bytes_beside.forget();
        &mut chunk.elements
    }
}

impl<T> Default for Chunked<T> {
    fn default() -> Self {
        Self { chunks: Vec::new(), len: 0 }
    }
}

impl<T: Clone + PartialEq> Chunked<T> {
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
        self.chunks.get(position / CHUNK)?.elements.get(position % CHUNK)
    }

    /// The element at `position`, to be changed; its chunk is copied if it is shared.
    pub fn get_mut(&mut self, position: usize) -> Option<&mut T> {
        Chunk::change(self.chunks.get_mut(position / CHUNK)?).get_mut(position % CHUNK)
    }

    /// Adds an element at the end. A chunk that has become full and equals the one before is not kept twice.
    pub fn push(&mut self, element: T) {
        if self.len.is_multiple_of(CHUNK) {
            self.chunks.push(Arc::new(Vec::with_capacity(1).into()));
        }
        let Some(last) = self.chunks.last_mut() else { return };
        Chunk::change(last).push(element);
        self.len += 1;
        if self.len.is_multiple_of(CHUNK)
            && let [.., before, last] = self.chunks.as_mut_slice()
            && before == last
        {
            *last = Arc::clone(before);
        }
    }

    /// Puts `to` in the place of every element of a range, if each of them is `from`; tells whether they were. O(chunks),
    /// where they are shared.
    pub(crate) fn replace(&mut self, range: Range<usize>, from: &T, to: &T) -> bool {
        let mut known: Option<&Arc<Chunk<T>>> = None;
        for (number, within) in pieces(range.clone()) {
            let Some(chunk) = self.chunks.get(number) else { return false };
            let is_known = known.is_some_and(|known| Arc::ptr_eq(known, chunk));
            if !is_known && !chunk.elements.get(within).is_some_and(|all| all.iter().all(|one| one == from)) {
                return false;
            }
            known = is_whole(number, &range).then_some(chunk);
        }
        let mut whole = None;
        for (number, within) in pieces(range.clone()) {
            if is_whole(number, &range) {
                let filled = whole.get_or_insert_with(|| Arc::new(Chunk::from(vec![to.clone(); CHUNK])));
                self.chunks[number] = Arc::clone(filled);
            } else {
                Chunk::change(&mut self.chunks[number])[within].fill(to.clone());
            }
        }
        true
    }

    /// All elements, in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flat_map(|chunk| chunk.elements.iter())
    }

    /// The digest of each chunk, in order. `of` computes one from its elements, and is asked again when those have
    /// changed.
    pub(crate) fn digests(&self, of: impl Fn(&[T]) -> [u8; 32]) -> impl Iterator<Item = &[u8; 32]> {
        self.chunks.iter().map(move |chunk| chunk.digest.of(|| of(&chunk.elements)))
    }

    /// Chunks that are not the very same as in the other.
    #[cfg(test)]
    pub(crate) fn unshared_with(&self, other: &Self) -> usize {
        self.chunks.iter().zip(&other.chunks).filter(|(own, others)| !Arc::ptr_eq(own, others)).count()
    }

    /// The bytes that it takes, with what its elements own beside, which `beside` tells of one; it is asked again when
    /// their chunk has changed. What neighbours share counts once.
    pub(crate) fn bytes(&self, beside: impl Fn(&T) -> usize) -> usize {
        let of_chunk = |chunk: &Arc<Chunk<T>>| {
            let elements = &chunk.elements;
            let owned = chunk.bytes_beside.of(|| elements.iter().map(&beside).sum());
            allocated(COUNTERS + size_of::<Chunk<T>>()) + allocated(elements.capacity() * size_of::<T>()) + owned
        };
        let mut before: Option<&Arc<Chunk<T>>> = None;
        let mut total = allocated(self.chunks.capacity() * size_of::<Arc<Chunk<T>>>());
        for chunk in &self.chunks {
            let is_shared = before.replace(chunk).is_some_and(|before| Arc::ptr_eq(before, chunk));
            total += if is_shared { 0 } else { of_chunk(chunk) };
        }
        total
    }
}

/// The chunks in which a range lies, each with the places in it.
fn pieces(range: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> {
    (range.start / CHUNK..range.end.div_ceil(CHUNK)).map(move |number| {
        let first = number * CHUNK;
        let (start, end) = (range.start.max(first) - first, range.end.min(first + CHUNK) - first);
        (number, start..end)
    })
}

/// Whether a range takes in all places of a chunk.
fn is_whole(number: usize, range: &Range<usize>) -> bool {
    range.start <= number * CHUNK && (number + 1) * CHUNK <= range.end
}

impl<T: Clone + PartialEq> FromIterator<T> for Chunked<T> {
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
    use std::cell::Cell;

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

    #[test]
    fn equal_neighbours_are_kept_once_and_part_when_one_changes() {
        let mut numbers: Chunked<usize> = std::iter::repeat_n(7, 1_000).collect();
        let bytes = numbers.bytes(|_| 0);
        assert!(bytes < 2 * CHUNK * size_of::<usize>() + 512, "one chunk, and the rest of another: {bytes}");
        *numbers.get_mut(300).expect("there are a thousand") = 8;
        assert!(numbers.iter().enumerate().all(|(at, number)| *number == if at == 300 { 8 } else { 7 }));
        assert!(numbers.bytes(|_| 0) > bytes);
    }

    #[test]
    fn a_range_is_replaced_whole_or_not_at_all() {
        for range in [0..1_000, 0..256, 255..257, 100..900, 512..768, 990..1_000, 300..301, 5..5] {
            let mut numbers: Chunked<usize> = std::iter::repeat_n(7, 1_000).collect();
            assert!(numbers.replace(range.clone(), &7, &8));
            let expected = (0..1_000).map(|at| if range.contains(&at) { 8 } else { 7 });
            assert!(numbers.iter().copied().eq(expected), "{range:?}");
        }
        for odd in [0, 255, 256, 600, 999] {
            let mut numbers: Chunked<usize> = std::iter::repeat_n(7, 1_000).collect();
            *numbers.get_mut(odd).expect("there are a thousand") = 9;
            let before = numbers.clone();
            assert!(!numbers.replace(0..1_000, &7, &8));
            assert!(numbers == before, "{odd}");
        }
        let mut numbers: Chunked<usize> = (0..10).collect();
        assert!(!numbers.replace(0..11, &0, &1), "there are fewer");
    }

    #[test]
    fn only_chunks_that_changed_are_asked_for_their_digest_and_their_bytes_again() {
        let mut numbers: Chunked<usize> = (0..1_000).collect();
        let (asked, counted) = (Cell::new(0), Cell::new(0));
        let ask = |numbers: &Chunked<usize>| -> Vec<[u8; 32]> {
            let digest = |all: &[usize]| {
                asked.set(asked.get() + 1);
                [u8::try_from(all.iter().sum::<usize>() % 251).expect("less than 251"); 32]
            };
            let beside = |_: &usize| {
                counted.set(counted.get() + 1);
                1
            };
            assert_eq!(numbers.bytes(beside) - numbers.bytes(|_| 0), 0, "what was counted is kept");
            numbers.digests(digest).copied().collect()
        };
        let before = ask(&numbers);
        assert_eq!((asked.get(), counted.get()), (4, 1_000));
        let copy = numbers.clone();
        *numbers.get_mut(300).expect("there are a thousand") = 0;
        let after = ask(&numbers);
        assert_eq!((asked.get(), counted.get()), (5, 1_256));
        assert!((0..4).all(|chunk| (before[chunk] == after[chunk]) == (chunk != 1)));
        assert_eq!((ask(&copy), asked.get()), (before, 5));
    }
}
