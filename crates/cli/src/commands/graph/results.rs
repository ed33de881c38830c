//! `antfarm graph results`: what the nodes of a graph gave.

use antfarm_client::views::ResultView;
use antfarm_client::{Client, Page};
use clap::Args;
use serde::Serialize;

use crate::console::Console;
use crate::exit::Exit;
use crate::table;

/// Print the results of a graph, or of one of its nodes
///
/// Without a node, a line for each instance that has a result. With a node, its result as it is; that of an array node is
/// the list of its results by index.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../help/graph-results.txt"))]
pub(super) struct Results {
    /// The graph
    id: String,
    /// A node, or one instance of an array node
    node: Option<String>,
}

/// All results, as one document.
#[derive(Debug, Serialize)]
struct Document<'a> {
    graph: &'a str,
    results: Vec<ResultView>,
}

impl Results {
    pub(super) async fn run(&self, client: &Client, console: &Console) -> anyhow::Result<Exit> {
        if let Some(node) = &self.node {
            let result = client.result_text(&self.id, node).await?;
            console.print(&format!("{result}\n"))?;
            return Ok(Exit::Done);
        }
        let mut results = Vec::new();
        let mut is_empty = true;
        let mut page = Page::default();
        loop {
            let shown = client.results(&self.id, &page).await?;
            page.after = shown.next;
            is_empty &= shown.results.is_empty();
            if console.json() {
                results.extend(shown.results);
            } else {
                let lines = table::lines(shown.results.iter().map(|one| format!("{}  {}", one.id, one.result)));
                console.print(&lines)?;
            }
            if page.after.is_none() {
                break;
            }
        }
        if console.json() {
            console.result(&Document { graph: &self.id, results }, String::new)?;
        }
        if is_empty {
            let id = &self.id;
            console.hint(&format!(
                "no node of {id} has a result; `antfarm graph show {id} --nodes` tells how each stands"
            ));
        }
        Ok(Exit::Done)
    }
}
