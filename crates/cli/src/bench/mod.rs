//! `antfarm bench`: measurements of what this program does, on the machine at hand.

mod core;
mod spread;

use clap::{Args, Subcommand};

use crate::console::Console;
use crate::exit::Exit;

/// Measure what the scheduler does on this machine
///
/// Every figure is a median of several runs, with the range beside it: machines are noisy, so compare figures of one run.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../help/bench.txt"))]
pub(crate) struct Bench {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Core(core::Core),
}

impl Bench {
    pub(crate) fn run(&self, console: &Console) -> anyhow::Result<Exit> {
        match &self.command {
            Command::Core(core) => core.run(console),
        }
    }
}
