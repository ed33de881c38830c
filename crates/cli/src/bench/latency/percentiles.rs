//! What most of many measurements stay below.

use std::time::Duration;

use anyhow::Context;
use serde::Serialize;

use crate::bench::range::Range;
use crate::bench::spread::Spread;

/// Milliseconds that half of all measurements do not exceed, that 99 of 100 do not, and that none does.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[expect(clippy::struct_field_names, reason = "they are those of the JSON, with their unit")]
pub(super) struct Percentiles {
    pub(super) p50_ms: f64,
    pub(super) p99_ms: f64,
    pub(super) max_ms: f64,
}

impl Percentiles {
    pub(super) fn of(times: &[Duration]) -> anyhow::Result<Self> {
        let Spread { median_ms, p99_ms, max_ms } = Spread::of(times).context("nothing was measured")?;
        Ok(Self { p50_ms: median_ms, p99_ms, max_ms })
    }

    /// The median of each, of one at least.
    pub(super) fn median(of: &(impl Iterator<Item = Self> + Clone)) -> Self {
        let median = |one: fn(Self) -> f64| Range::of(of.clone().map(one)).median;
        Self { p50_ms: median(|run| run.p50_ms), p99_ms: median(|run| run.p99_ms), max_ms: median(|run| run.max_ms) }
    }
}
