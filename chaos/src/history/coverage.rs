//! Which indexes of the log a reader of events has covered.

/// Ranges of indexes, each without its first and with its last; disjoint and rising.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Coverage(Vec<(u64, u64)>);

impl Coverage {
    /// Adds what comes after one index up to another.
    pub(super) fn add(&mut self, after: u64, upto: u64) {
        if upto <= after {
            return;
        }
        self.0.push((after, upto));
        self.0.sort_unstable();
        let mut joined: Vec<(u64, u64)> = Vec::new();
        for (after, upto) in self.0.drain(..) {
            match joined.last_mut() {
                Some((_, end)) if after <= *end => *end = upto.max(*end),
                Some(_) | None => joined.push((after, upto)),
            }
        }
        self.0 = joined;
    }

    /// Adds what another covers.
    pub(super) fn join(&mut self, other: &Self) {
        other.0.iter().for_each(|(after, upto)| self.add(*after, *upto));
    }

    /// Whether an index is covered.
    pub(crate) fn has(&self, index: u64) -> bool {
        self.0.iter().any(|(after, upto)| *after < index && index <= *upto)
    }

    /// Whether everything from one index to another is covered, both included.
    pub(crate) fn has_all(&self, first: u64, last: u64) -> bool {
        self.0.iter().any(|(after, upto)| *after < first && last <= *upto)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_touch_are_one() {
        let mut coverage = Coverage::default();
        for (after, upto) in [(10, 20), (0, 5), (5, 10), (30, 30), (40, 50)] {
            coverage.add(after, upto);
        }
        assert_eq!(coverage, Coverage(vec![(0, 20), (40, 50)]));
        assert!(coverage.has_all(1, 20) && !coverage.has_all(1, 21) && !coverage.has_all(0, 3));
        assert!(coverage.has(41) && !coverage.has(40));
    }
}
