//! `antfarm bench schedule`: how many nodes per second a cluster runs, from the first byte of the first submission to a
//! linearizable read that says that all of it succeeded.

mod report;
mod trial;
mod work;

use antfarm_forager::{DEFAULT_PREFETCH, MAX_SLOTS};
use clap::Args;

use crate::cli::Global;
use crate::console::Console;
use crate::daemon;
use crate::exit::{Exit, Stop};
use report::Report;
use trial::Trial;
use work::Pattern;

/// A forager keeps at most so many times its slots beyond them: more would measure how much it holds, not how fast it gets it.
const MOST_PREFETCH: u32 = 2;

/// Measure how many nodes per second a cluster runs
///
/// Starts three queens and eight foragers on this machine, with default settings, for each run anew. After some work to
/// warm up it submits graphs whose nodes do nothing, and takes the time from the first byte of the first submission to a
/// linearizable read that says that the last graph succeeded. Foragers count the calls of their tools: each instance must
/// have been called once.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../help/bench-schedule.txt"))]
pub(in crate::bench) struct Schedule {
    /// How the nodes are submitted
    #[arg(long, value_enum, default_value = "array")]
    shape: Pattern,
    /// Nodes, in all graphs together [default: 400000; listed and program: 100000; chains: 10000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4_000_000))]
    nodes: Option<u32>,
    /// Graphs [default: 1; listed: 100]
    #[arg(long, value_name = "G", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    graphs: Option<u32>,
    /// Number of foragers
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=999))]
    foragers: u16,
    /// Attempts that each forager runs at a time
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_SLOTS / 4)))]
    slots: u32,
    /// Attempts that each forager takes beyond its slots, at most twice as many
    #[arg(long, value_name = "P", default_value_t = DEFAULT_PREFETCH)]
    prefetch: u32,
    /// How often everything is measured
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    runs: u32,
}

impl Schedule {
    pub(in crate::bench) fn run(&self, global: &Global, console: &Console) -> anyhow::Result<Exit> {
        if self.prefetch > MOST_PREFETCH * self.slots {
            return Err(Stop::usage(format!(
                "--prefetch {} with --slots {}: it may be {MOST_PREFETCH} times the slots at most",
                self.prefetch, self.slots
            )));
        }
        let trial = Trial {
            pattern: self.shape,
            nodes: self.nodes.unwrap_or(self.shape.nodes()),
            graphs: self.graphs.unwrap_or(self.shape.graphs()),
            foragers: self.foragers,
            slots: self.slots,
            prefetch: self.prefetch,
        };
        let mut runs = Vec::new();
        for number in 1..=self.runs {
            let run = daemon::block_on(trial.run(global))?;
            console.progress(&format!("{number} of {}: {:.0} nodes per second", self.runs, run.nodes_per_second));
            runs.push(run);
        }
        console.end_progress();
        let report = Report::new(trial, runs);
        console.result(&report, || report.text())?;
        Ok(Exit::Done)
    }
}
