//! `antfarm graph cancel|pause|resume|delete`.

use antfarm_client::Client;
use antfarm_client::views::GraphView;
use clap::Args;
use serde_json::json;

use crate::console::Console;
use crate::exit::Exit;
use crate::table;

/// Cancel graphs: what runs is cancelled, what waits never starts
///
/// A cancelled graph does not go on any more; submit it again under another id.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../help/graph-cancel.txt"))]
pub(super) struct Cancel {
    /// Graphs
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
}

/// Pause graphs: what runs goes on, nothing else starts
///
/// What runs meanwhile counts. Deadlines do not wait.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../help/graph-pause.txt"))]
pub(super) struct Pause {
    /// Graphs
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
}

/// Let paused graphs go on
///
/// What could have run meanwhile runs now.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../help/graph-resume.txt"))]
pub(super) struct Resume {
    /// Graphs
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
}

/// Remove graphs that have ended, with their results
///
/// The id of a removed graph stays taken for a while, so that a late retry of its submission does not run it again.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../help/graph-delete.txt"))]
pub(super) struct Delete {
    /// Graphs
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
}

impl Cancel {
    pub(super) async fn run(&self, client: &Client, console: &Console) -> anyhow::Result<Exit> {
        each(&self.ids, console, async |id| client.cancel(id).await).await
    }
}

impl Pause {
    pub(super) async fn run(&self, client: &Client, console: &Console) -> anyhow::Result<Exit> {
        each(&self.ids, console, async |id| client.pause(id).await).await
    }
}

impl Resume {
    pub(super) async fn run(&self, client: &Client, console: &Console) -> anyhow::Result<Exit> {
        each(&self.ids, console, async |id| client.resume(id).await).await
    }
}

impl Delete {
    pub(super) async fn run(&self, client: &Client, console: &Console) -> anyhow::Result<Exit> {
        for id in &self.ids {
            client.delete_graph(id).await?;
        }
        console.result(&json!({"deleted": self.ids}), || {
            table::lines(self.ids.iter().map(|id| format!("{id} removed")))
        })?;
        Ok(Exit::Done)
    }
}

async fn each<E>(
    ids: &[String],
    console: &Console,
    change: impl AsyncFn(&str) -> Result<GraphView, E>,
) -> anyhow::Result<Exit>
where
    E: std::error::Error + Send + Sync + 'static,
{
    let mut graphs = Vec::new();
    for id in ids {
        graphs.push(change(id).await?);
    }
    let lines = || table::lines(graphs.iter().map(|graph| format!("{} {}", graph.id, graph.state)));
    console.result(&json!({"graphs": graphs}), lines)?;
    Ok(Exit::Done)
}
