//! `antfarm graph wait`: waits until graphs end.

use antfarm_client::Client;
use clap::Args;
use serde_json::json;

use crate::console::Console;
use crate::exit::Exit;
use crate::fate;
use crate::watch;

/// Wait until graphs end, and end with their fate
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  antfarm graph wait nightly
  antfarm graph wait nightly weekly && echo both succeeded

Exit status:
  0  all succeeded
  1  one did not
  3  no leader answered; waiting again is safe
  4  there is no such graph")]
pub(super) struct Wait {
    /// Graphs
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
}

impl Wait {
    pub(super) async fn run(&self, client: &Client, console: &Console) -> anyhow::Result<Exit> {
        let mut graphs = Vec::new();
        for id in &self.ids {
            graphs.push(watch::until_ended(client.watch_graph(id).await?, console).await?);
        }
        console.result(&json!({"graphs": graphs}), || graphs.iter().map(fate::sentence).collect())?;
        Ok(fate::worst(&graphs))
    }
}
