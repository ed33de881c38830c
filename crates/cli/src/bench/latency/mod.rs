//! `antfarm bench latency`: how long one node takes on an idle cluster, and how soon nodes start at a constant rate.

mod percentiles;
mod timeline;
mod trial;

use clap::Args;
use serde::Serialize;

use super::range::Range;
use crate::cli::Global;
use crate::console::Console;
use crate::daemon;
use crate::exit::Exit;
use percentiles::Percentiles;
use trial::{Run, Trial};

/// Measure how long a node takes
///
/// Starts three queens and eight foragers on this machine, with default settings, for each run anew. First, one after
/// another, graphs of one node are submitted to the idle cluster; the time is that from before the submission to the answer
/// that says that the graph succeeded. Then nodes come at a constant rate, half of them ready when they are submitted, half
/// after another one; the time is that from the leader's application of the entry that made a node ready to the call of its
/// tool by a forager, on CLOCK_MONOTONIC.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../help/bench-latency.txt"))]
pub(super) struct Latency {
    /// Nodes per second
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(10..=100_000))]
    rate: u32,
    /// For how long nodes come at that rate, in seconds
    #[arg(long, value_name = "S", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=600))]
    seconds: u32,
    /// How many nodes are submitted one after another
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    trips: u32,
    /// How often everything is measured
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    runs: u32,
}

/// Medians of the runs, and each run.
#[derive(Debug, Serialize)]
struct Report {
    rate: u32,
    #[serde(flatten)]
    median: Run,
    runs: Vec<Run>,
}

impl Latency {
    pub(super) fn run(&self, global: &Global, console: &Console) -> anyhow::Result<Exit> {
        let trial = Trial { rate: self.rate, seconds: self.seconds, trips: self.trips };
        let mut runs = Vec::new();
        for number in 1..=self.runs {
            let run = daemon::block_on(trial.run(global))?;
            let Run { round_trip, ready_to_start, .. } = run;
            console.progress(&format!(
                "{number} of {}: round trip {:.2} ms, ready to start {:.2} ms",
                self.runs, round_trip.p50_ms, ready_to_start.p50_ms
            ));
            runs.push(run);
        }
        console.end_progress();
        let report = Report::new(self.rate, runs);
        console.result(&report, || report.text())?;
        Ok(Exit::Done)
    }
}

impl Report {
    /// Of one run at least.
    fn new(rate: u32, runs: Vec<Run>) -> Self {
        let median = Run {
            round_trip: Percentiles::median(&runs.iter().map(|run| run.round_trip)),
            ready_to_start: Percentiles::median(&runs.iter().map(|run| run.ready_to_start)),
            started_per_second: Range::of(runs.iter().map(|run| run.started_per_second)).median,
        };
        Self { rate, median, runs }
    }

    fn text(&self) -> String {
        let Run { round_trip, ready_to_start, started_per_second } = self.median;
        let line = |measured: Percentiles, of: fn(&Run) -> f64| {
            let p50 = Range::of(self.runs.iter().map(of));
            let Percentiles { p50_ms, p99_ms, max_ms } = measured;
            format!("p50 {p50_ms:.2} ms ({:.2} to {:.2}), p99 {p99_ms:.2} ms, max {max_ms:.2} ms", p50.min, p50.max)
        };
        format!(
            "{} runs\n\
             one node, submitted to succeeded  {}\n\
             ready to started                  {}\n\
             started per second                {started_per_second:.0}, of {} submitted\n",
            self.runs.len(),
            line(round_trip, |run| run.round_trip.p50_ms),
            line(ready_to_start, |run| run.ready_to_start.p50_ms),
            self.rate,
        )
    }
}
