//! `antfarm forager drain|undrain`.

use antfarm_client::Client;
use antfarm_client::views::ForagerView;
use clap::Args;
use serde_json::json;

use crate::console::Console;
use crate::exit::Exit;
use crate::table;

/// Give foragers no more work; what runs goes on
///
/// For maintenance: once it has no open attempt, it can be stopped, and nothing has to be run again.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../help/forager-drain.txt"))]
pub(super) struct Drain {
    /// Foragers
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
}

/// Give foragers work again
///
/// Also ends the quarantine of a forager that rejected too much.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../help/forager-undrain.txt"))]
pub(super) struct Undrain {
    /// Foragers
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
}

impl Drain {
    pub(super) async fn run(&self, client: &Client, console: &Console) -> anyhow::Result<Exit> {
        let mut foragers = Vec::new();
        for name in &self.names {
            foragers.push(client.drain(name).await?);
        }
        print(&foragers, console)
    }
}

impl Undrain {
    pub(super) async fn run(&self, client: &Client, console: &Console) -> anyhow::Result<Exit> {
        let mut foragers = Vec::new();
        for name in &self.names {
            foragers.push(client.undrain(name).await?);
        }
        print(&foragers, console)
    }
}

fn print(foragers: &[ForagerView], console: &Console) -> anyhow::Result<Exit> {
    let lines = || table::lines(foragers.iter().map(|forager| format!("{} {}", forager.name, forager.state)));
    console.result(&json!({"foragers": foragers}), lines)?;
    Ok(Exit::Done)
}
