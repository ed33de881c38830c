//! `antfarm graph wait`: waits until graphs end.

use antfarm_client::Client;
use clap::Args;
use serde_json::json;

use crate::console::Console;
use crate::exit::Exit;
use crate::fate;
use crate::hints;
use crate::interrupts::unless_interrupted;
use crate::watch;

/// Wait until graphs end, and end with their fate
///
/// Goes on through failovers. A graph that is paused or needs a decision has not ended.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../help/graph-wait.txt"))]
pub(super) struct Wait {
    /// Graphs
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
}

impl Wait {
    pub(super) async fn run(&self, client: &Client, console: &Console) -> anyhow::Result<Exit> {
        let mut graphs = Vec::new();
        for id in &self.ids {
            let words = format!("{id} goes on; wait for it again with `antfarm graph wait {id}`");
            let ended = async { watch::until_ended(client.watch_graph(id).await?, console).await };
            graphs.push(unless_interrupted(console, &words, ended).await?);
        }
        console.result(&json!({"graphs": graphs}), || graphs.iter().map(fate::sentence).collect())?;
        for graph in &graphs {
            console.hint(&hints::of(graph));
        }
        Ok(fate::worst(&graphs))
    }
}
