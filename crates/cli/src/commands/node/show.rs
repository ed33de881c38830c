//! `antfarm node show`: all that is known of a node.

use antfarm_client::Client;
use antfarm_client::views::{AttemptView, NodeView};
use clap::Args;
use serde::Serialize;

use super::NodePath;
use crate::console::Console;
use crate::exit::Exit;
use crate::table::{self, Table, shortened};

/// Characters of arguments and results that are shown to people.
const MOST_JSON: usize = 2_000;

/// Show a node: its state, arguments, result and attempts
///
/// References in its arguments are replaced by results, as far as there are any. Each attempt has its forager, its end and its
/// fence, which other commands ask for.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../help/node-show.txt"))]
pub(super) struct Show {
    /// The node, or one instance of an array node
    #[arg(value_name = "GRAPH/NODE")]
    node: NodePath,
}

/// A node with its attempts, as one document.
#[derive(Debug, Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    node: &'a NodeView,
    attempt_list: &'a [AttemptView],
}

impl Show {
    pub(super) async fn run(&self, client: &Client, console: &Console) -> anyhow::Result<Exit> {
        let NodePath { graph, node } = &self.node;
        let view = client.node(graph, node).await?;
        let attempts = match &view.instances {
            None => client.attempts(graph, node).await?.attempts,
            Some(_) => Vec::new(),
        };
        let document = Document { node: &view, attempt_list: &attempts };
        console.result(&document, || format!("{}{}", summary(&view), listing(&attempts)))?;
        Ok(Exit::Done)
    }
}

fn summary(node: &NodeView) -> String {
    let state = match &node.instances {
        Some(counts) => format!("{}; {} of {} instances succeeded", node.state, counts.succeeded, counts.total),
        None => node.state.clone(),
    };
    let mut rows = vec![
        ("node", format!("{}/{}", node.graph, node.id)),
        ("state", state),
        ("tool", format!("{} ({}, {})", node.tool, node.class, node.effects)),
        ("limits", format!("{} per attempt, {} further tries", node.timeout, node.retries)),
    ];
    let mut optional = |name, value: Option<String>| rows.extend(value.map(|value| (name, value)));
    optional("reason", node.reason.clone());
    optional("pin", node.pin.clone());
    optional("not before", node.not_before.clone());
    optional("deadline", node.deadline.clone());
    optional(
        "needs",
        node.needs.as_ref().filter(|needs| !needs.is_empty()).map(|needs| listed(needs, node.needs_count)),
    );
    optional("args", node.args.as_ref().map(|args| shortened(&args.to_string(), MOST_JSON)));
    optional("result", node.result.as_ref().map(|result| shortened(&result.to_string(), MOST_JSON)));
    table::fields(&rows)
}

fn listed(needs: &[String], count: Option<usize>) -> String {
    let more = count.unwrap_or(0).saturating_sub(needs.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", needs.join(", "))
}

fn listing(attempts: &[AttemptView]) -> String {
    if attempts.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&["fence", "forager", "state", "closed", "message"]);
    for attempt in attempts {
        let state = match &attempt.manner {
            Some(manner) => format!("{} ({manner})", attempt.state),
            None => attempt.state.clone(),
        };
        table.row([
            attempt.fence.to_string(),
            attempt.forager.clone(),
            state,
            attempt.closed_at.clone().unwrap_or_else(|| "-".to_owned()),
            shortened(attempt.message.as_deref().unwrap_or(""), 100),
        ]);
    }
    format!("\n{}", table.render())
}
