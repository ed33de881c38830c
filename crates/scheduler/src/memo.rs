//! What follows from a value, computed when it is first asked for and kept as long as the value does not change.

use std::sync::OnceLock;

/// A place for what follows from the value in which it stands. It says nothing of its own: a copy begins empty, and all
/// are equal.
#[derive(Debug)]
pub(crate) struct Memo<T>(OnceLock<T>);

impl<T> Memo<T> {
    /// What follows, by `compute` if it is not known.
    pub(crate) fn of(&self, compute: impl FnOnce() -> T) -> &T {
        self.0.get_or_init(compute)
    }

    /// The value is about to change.
    pub(crate) fn forget(&mut self) {
        self.0.take();
    }
}

impl<T> Default for Memo<T> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

impl<T> Clone for Memo<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<T> PartialEq for Memo<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for Memo<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_computed_once_until_it_is_forgotten_and_not_copied() {
        let mut memo = Memo::default();
        assert_eq!((*memo.of(|| 1), *memo.of(|| 2)), (1, 1));
        let copy = memo.clone();
        assert_eq!(*copy.of(|| 3), 3);
        memo.forget();
        assert_eq!(*memo.of(|| 4), 4);
        assert_eq!(memo, copy);
    }
}
