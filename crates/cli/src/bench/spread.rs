//! What many measurements of one thing come to.

use std::time::Duration;

use serde::Serialize;

/// Median, 99th percentile and maximum, in milliseconds: each a value that was measured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[expect(clippy::struct_field_names, reason = "they are those of the JSON, with their unit")]
pub(super) struct Spread {
    pub(super) median_ms: f64,
    pub(super) p99_ms: f64,
    pub(super) max_ms: f64,
}

impl Spread {
    /// Nothing comes of nothing.
    pub(super) fn of(times: &[Duration]) -> Option<Self> {
        let mut sorted = times.to_vec();
        sorted.sort_unstable();
        let at = |percent: usize| Some(millis(sorted[(sorted.len() * percent).div_ceil(100).checked_sub(1)?]));
        Some(Self { median_ms: at(50)?, p99_ms: at(99)?, max_ms: at(100)? })
    }
}

/// Milliseconds, to the microsecond.
pub(super) fn millis(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_consists_of_what_was_measured() {
        let times: Vec<Duration> = (1..=200).rev().map(Duration::from_millis).collect();
        let spread = Spread::of(&times).expect("there are some");
        assert_eq!(spread, Spread { median_ms: 100.0, p99_ms: 198.0, max_ms: 200.0 });
        let one = Spread::of(&times[..1]).expect("there is one");
        assert_eq!(one, Spread { median_ms: 200.0, p99_ms: 200.0, max_ms: 200.0 });
        assert_eq!(Spread::of(&[]), None);
    }
}
