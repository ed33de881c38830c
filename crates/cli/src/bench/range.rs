//! Several measurements of the same thing.

use serde::Serialize;

/// The middle of several measurements, and how far they are apart.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Range {
    pub(super) median: f64,
    pub(super) min: f64,
    pub(super) max: f64,
}

impl Range {
    /// Of at least one measurement; of an even number, the upper one of the two in the middle.
    pub(super) fn of(measurements: impl IntoIterator<Item = f64>) -> Self {
        let mut all: Vec<f64> = measurements.into_iter().collect();
        all.sort_by(f64::total_cmp);
        Self { median: all[all.len() / 2], min: all[0], max: all[all.len() - 1] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slow_run_moves_the_range_and_not_the_median() {
        assert_eq!(Range::of([3.0, 1.0, 900.0, 2.0, 4.0]), Range { median: 3.0, min: 1.0, max: 900.0 });
    }
}
