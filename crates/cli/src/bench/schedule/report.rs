//! What is told of all runs.

use serde::Serialize;

use super::trial::{Cpu, Run, Trial};
use crate::bench::range::Range;

/// Medians of the runs, and each run.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    #[serde(flatten)]
    trial: Trial,
    #[serde(flatten)]
    median: Run,
    runs: Vec<Run>,
}

impl Report {
    /// Of one run at least.
    pub(super) fn new(trial: Trial, runs: Vec<Run>) -> Self {
        let median = |of: fn(&Run) -> f64| Range::of(runs.iter().map(of)).median;
        let median = Run {
            nodes_per_second: median(|run| run.nodes_per_second),
            cpu_us_per_node: Cpu {
                queens: median(|run| run.cpu_us_per_node.queens),
                foragers: median(|run| run.cpu_us_per_node.foragers),
                client: median(|run| run.cpu_us_per_node.client),
            },
            fsyncs_per_node: median(|run| run.fsyncs_per_node),
            bytes_per_node: median(|run| run.bytes_per_node),
            calls: runs[0].calls, // the same in all: each is held to what was submitted
            elections: runs.iter().map(|run| run.elections).max().unwrap_or(0),
        };
        Self { trial, median, runs }
    }

    pub(super) fn text(&self) -> String {
        let Self { trial: Trial { pattern, graphs, foragers, slots, prefetch, .. }, median, runs } = self;
        let rate = Range::of(runs.iter().map(|run| run.nodes_per_second));
        let Run { cpu_us_per_node: cpu, fsyncs_per_node, bytes_per_node, calls, elections, .. } = median;
        format!(
            "{} × {calls} nodes, {} in {graphs} graphs, on {foragers} foragers × {slots} slots + {prefetch}\n\
             nodes per second  median {:.0}, {:.0} to {:.0}\n\
             CPU per node      queens {:.2} µs, foragers {:.2} µs, client {:.2} µs\n\
             disk per node     {fsyncs_per_node:.4} syncs, {bytes_per_node:.0} bytes, all queens together\n\
             calls             each instance once\n\
             elections         {elections}\n",
            runs.len(),
            pattern.as_str(),
            rate.median,
            rate.min,
            rate.max,
            cpu.queens,
            cpu.foragers,
            cpu.client,
        )
    }
}
