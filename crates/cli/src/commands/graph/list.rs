//! `antfarm graph list`: the graphs of a cluster.

use antfarm_client::{Client, Page};
use clap::Args;
use serde_json::json;

use crate::console::Console;
use crate::exit::Exit;
use crate::table::Table;

/// What a graph can be.
const GRAPH_STATES: [&str; 6] = ["running", "paused", "succeeded", "failed", "cancelled", "expired"];

/// List graphs, in the order in which they were submitted
///
/// Each with its state, and how many of its instances are done, run and failed. Graphs that have ended are kept for a while
/// (24 h, if the queens are not told otherwise).
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../help/graph-list.txt"))]
pub(super) struct List {
    /// Only those in this state
    #[arg(long, value_name = "STATE", value_parser = GRAPH_STATES)]
    state: Option<String>,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    limit: usize,
}

impl List {
    pub(super) async fn run(&self, client: &Client, console: &Console) -> anyhow::Result<Exit> {
        let mut graphs = Vec::new();
        let mut page = Page { state: self.state.clone(), ..Page::default() };
        loop {
            let shown = client.graphs(&page).await?;
            graphs.extend(shown.graphs);
            page.after = shown.next;
            if page.after.is_none() || graphs.len() >= self.limit {
                break;
            }
        }
        let more = graphs.len() > self.limit || page.after.is_some();
        graphs.truncate(self.limit);
        let mut table = Table::new(&["graph", "state", "nodes", "done", "running", "failed", "submitted", "finished"]);
        for graph in &graphs {
            let (nodes, finished) = (&graph.nodes, graph.finished_at.clone().unwrap_or_else(|| "-".to_owned()));
            table.row([
                graph.id.clone(),
                graph.state.clone(),
                nodes.total.to_string(),
                nodes.succeeded.to_string(),
                nodes.running.to_string(),
                nodes.failed.to_string(),
                graph.submitted_at.clone(),
                finished,
            ]);
        }
        console.result(&json!({"graphs": graphs}), || table.render())?;
        if graphs.is_empty() {
            let state = self.state.as_ref().map_or_else(String::new, |state| format!(" {state}"));
            console.hint(&format!("there is no{state} graph; `antfarm submit FILE` hands one in"));
        }
        if more {
            console.say(&format!("there are more than {}; see them with --limit", self.limit));
        }
        Ok(Exit::Done)
    }
}
