//! `antfarm graph`: what was submitted, how far it is, and what came of it.

mod change;
mod list;
mod results;
mod show;
mod wait;

use clap::{Args, Subcommand};

use crate::cli::Global;
use crate::connection;
use crate::console::Console;
use crate::exit::Exit;

/// Look at graphs, wait for them, and steer them
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../help/graph.txt"))]
pub(crate) struct Graph {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(list::List),
    Show(show::Show),
    Wait(wait::Wait),
    Cancel(change::Cancel),
    Pause(change::Pause),
    Resume(change::Resume),
    Delete(change::Delete),
    Results(results::Results),
}

impl Graph {
    pub(crate) fn run(&self, global: &Global, console: &Console) -> anyhow::Result<Exit> {
        connection::with(global, async |client| match &self.command {
            Command::List(list) => list.run(&client, console).await,
            Command::Show(show) => show.run(&client, console).await,
            Command::Wait(wait) => wait.run(&client, console).await,
            Command::Cancel(cancel) => cancel.run(&client, console).await,
            Command::Pause(pause) => pause.run(&client, console).await,
            Command::Resume(resume) => resume.run(&client, console).await,
            Command::Delete(delete) => delete.run(&client, console).await,
            Command::Results(results) => results.run(&client, console).await,
        })
    }
}
