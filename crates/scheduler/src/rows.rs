//! Many short lists in two pieces of memory: their elements end to end, and where each list ends.

use std::ops::Range;

/// Lists that are built once, one after another, and then only read; «compressed sparse rows» in the books.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rows<T> {
    ends: Ends,
    elements: Vec<T>,
}

impl<T> Rows<T> {
    /// No lists, with space for so many.
    pub(crate) fn with_capacity(lists: usize) -> Self {
        Self { ends: Ends(Vec::with_capacity(lists)), elements: Vec::new() }
    }

    /// Adds a list behind the others.
    pub(crate) fn push(&mut self, list: impl IntoIterator<Item = T>) {
        self.elements.extend(list);
        self.ends.push(self.elements.len());
    }

    /// The list at `row`; an empty one, if there are fewer.
    pub(crate) fn get(&self, row: usize) -> &[T] {
        self.ends.range(row).map_or(&[], |range| &self.elements[range])
    }

    /// Gives back the memory that was set aside for more.
    pub(crate) fn shrink(&mut self) {
        self.ends.0.shrink_to_fit();
        self.elements.shrink_to_fit();
    }

    /// The bytes that it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.ends.bytes() + self.elements.capacity() * size_of::<T>()
    }
}

/// Texts that are added one after another, and then only read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Texts {
    ends: Ends,
    all: String,
}

impl Texts {
    /// No texts, with space for so many.
    pub(crate) fn with_capacity(texts: usize) -> Self {
        Self { ends: Ends(Vec::with_capacity(texts)), all: String::new() }
    }

    /// Adds a text behind the others.
    pub(crate) fn push(&mut self, text: &str) {
        self.all.push_str(text);
        self.ends.push(self.all.len());
    }

    /// The text at `row`; an empty one, if there are fewer.
    pub(crate) fn get(&self, row: usize) -> &str {
        self.ends.range(row).map_or("", |range| &self.all[range])
    }

    /// The number of texts.
    pub(crate) fn len(&self) -> usize {
        self.ends.0.len()
    }

    /// Gives back the memory that was set aside for more.
    pub(crate) fn shrink(&mut self) {
        self.ends.0.shrink_to_fit();
        self.all.shrink_to_fit();
    }

    /// The bytes that they take.
    pub(crate) fn bytes(&self) -> usize {
        self.ends.bytes() + self.all.capacity()
    }
}

/// Where each row ends; it begins where the one before ends.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Ends(Vec<u32>);

impl Ends {
    fn push(&mut self, end: usize) {
        self.0
            .push(u32::try_from(end).expect("a graph has at most 128 MiB of text, and every element stands for some"));
    }

    fn range(&self, row: usize) -> Option<Range<usize>> {
        let end = *self.0.get(row)?;
        let start = if row == 0 { 0 } else { self.0[row - 1] };
        Some(start as usize..end as usize)
    }

    fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_list_is_read_as_it_was_added() {
        let lists: [&[u8]; 5] = [&[], &[1, 2], &[], &[3], &[]];
        let mut rows = Rows::with_capacity(0);
        for list in lists {
            rows.push(list.iter().copied());
        }
        rows.shrink();
        assert!((0..5).map(|row| rows.get(row)).eq(lists));
        assert_eq!(rows.get(5), &[] as &[u8]);
        assert_eq!(rows.bytes(), 5 * 4 + 3);
    }

    #[test]
    fn each_text_is_read_as_it_was_added() {
        let mut texts = Texts::with_capacity(9);
        for text in ["", "é", "", "ab"] {
            texts.push(text);
        }
        texts.shrink();
        assert!((0..4).map(|row| texts.get(row)).eq(["", "é", "", "ab"]));
        assert_eq!((texts.get(4), texts.len(), texts.bytes()), ("", 4, 4 * 4 + 4));
    }
}
