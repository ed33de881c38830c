//! `antfarm completions`: what a shell needs to complete command lines.

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use crate::cli::Cli;
use crate::console::Console;
use crate::exit::Exit;

/// Print a script that completes command lines in your shell
///
/// It completes commands, options and their values, such as the states of a graph.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../help/completions.txt"))]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self, console: &Console) -> anyhow::Result<Exit> {
        let mut script = Vec::new();
        generate(self.shell, &mut Cli::command(), "antfarm", &mut script);
        console.print(&String::from_utf8_lossy(&script))?;
        Ok(Exit::Done)
    }
}
