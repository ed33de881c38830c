//! `antfarm bench`: measurements on this machine: of the scheduler alone, and of whole clusters of real processes.
//!
//! ```text
//!  antfarm bench ──┬── Farm: antfarm queen run × 3, antfarm forager run × N      real processes, default settings
//!                  ├── Load: submits graphs at a constant rate                   a client like any other
//!                  └── one module for each measurement; times are taken here, from outside, on CLOCK_MONOTONIC
//! ```

mod core;
mod cpu;
mod failover;
mod farm;
mod fault;
mod latency;
mod load;
mod range;
mod relays;
mod schedule;
mod sightings;
mod spread;
mod usage;
mod writer;

use clap::{Args, Subcommand};

use crate::cli::Global;
use crate::console::Console;
use crate::exit::Exit;

use core::Core;
use failover::Failover;
use latency::Latency;
use schedule::Schedule;

/// Measure the scheduler, or a cluster that is started for it, on this machine
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../help/bench.txt"))]
pub(crate) struct Bench {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Core(Core),
    Failover(Failover),
    Latency(Latency),
    Schedule(Schedule),
}

impl Bench {
    pub(crate) fn run(&self, global: &Global, console: &Console) -> anyhow::Result<Exit> {
        match &self.command {
            Command::Core(core) => core.run(console),
            Command::Failover(failover) => failover.run(global, console),
            Command::Latency(latency) => latency.run(global, console),
            Command::Schedule(schedule) => schedule.run(global, console),
        }
    }
}
