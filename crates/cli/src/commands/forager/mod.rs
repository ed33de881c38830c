//! `antfarm forager`: the daemon, and what the cluster knows of such daemons.

mod change;
mod list;
mod run;
mod show;

use clap::{Args, Subcommand};

use crate::cli::Global;
use crate::connection;
use crate::console::Console;
use crate::exit::Exit;

pub(crate) use list::all;
pub(crate) use run::parse as parse_config;

/// Run a forager, or look at those of a cluster
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../help/forager.txt"))]
pub(crate) struct Forager {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::Run),
    List(list::List),
    Show(show::Show),
    Drain(change::Drain),
    Undrain(change::Undrain),
}

impl Forager {
    pub(crate) fn run(&self, global: &Global, console: &Console) -> anyhow::Result<Exit> {
        match &self.command {
            Command::Run(run) => run.run(),
            Command::List(list) => connection::with(global, async |client| list.run(&client, console).await),
            Command::Show(show) => connection::with(global, async |client| show.run(&client, console).await),
            Command::Drain(drain) => connection::with(global, async |client| drain.run(&client, console).await),
            Command::Undrain(undrain) => connection::with(global, async |client| undrain.run(&client, console).await),
        }
    }
}
