//! `antfarm graph show`: one graph, and its nodes if asked for.

use antfarm_client::views::{GraphView, NodeView};
use antfarm_client::{Client, GraphWatch, Page, Seen};
use clap::Args;
use serde_json::json;

use crate::commands::events::sentence;
use crate::console::Console;
use crate::exit::Exit;
use crate::fate;
use crate::hints;
use crate::table::{self, Table};
use crate::watch;

/// Nodes that are shown at most; `--state` finds those that matter.
const MAX_NODES: usize = 10_000;

/// What an instance can be.
const NODE_STATES: [&str; 10] = [
    "waiting",
    "ready",
    "assigned",
    "running",
    "succeeded",
    "failed",
    "expired",
    "cancelled",
    "skipped",
    "needs_decision",
];

/// Show one graph
///
/// Its state, how many of its instances are in which state, and what went wrong. With --nodes or --state, its nodes, too.
///
/// With --follow, first the graph as it is, then each change once and in order, last the graph as it ended. Changes are
/// what `antfarm events` prints; a failover only makes them pause. If some are not known any more, such as after a long
/// time without any queen, that is said, and the graph is shown anew.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../help/graph-show.txt"))]
pub(super) struct Show {
    /// The graph
    id: String,
    /// List its nodes, array nodes as a whole
    #[arg(long)]
    nodes: bool,
    /// List the instances in this state
    #[arg(long, value_name = "STATE", value_parser = NODE_STATES)]
    state: Option<String>,
    /// Go on with what changes, until it ends
    #[arg(long)]
    follow: bool,
}

impl Show {
    pub(super) async fn run(&self, client: &Client, console: &Console) -> anyhow::Result<Exit> {
        let graph = if self.follow {
            follow(client.watch_graph(&self.id).await?, console).await?
        } else {
            client.graph(&self.id).await?
        };
        if !self.nodes && self.state.is_none() {
            console.result(&graph, || summary(&graph))?;
            console.hint(&hints::of(&graph));
            return Ok(Exit::Done);
        }
        let nodes = self.all_nodes(client).await?;
        let mut document = json!(graph);
        document["node_list"] = json!(nodes);
        console.result(&document, || format!("{}\n{}", summary(&graph), listing(&nodes)))?;
        console.hint(&hints::of(&graph));
        if nodes.len() >= MAX_NODES {
            console.say(&format!("only the first {MAX_NODES} are listed; --state shows those that matter"));
        }
        Ok(Exit::Done)
    }

    async fn all_nodes(&self, client: &Client) -> anyhow::Result<Vec<NodeView>> {
        let mut nodes = Vec::new();
        let mut page = Page { state: self.state.clone(), ..Page::default() };
        while nodes.len() < MAX_NODES {
            let shown = client.nodes(&self.id, &page).await?;
            nodes.extend(shown.nodes);
            page.after = shown.next;
            if page.after.is_none() {
                break;
            }
        }
        Ok(nodes)
    }
}

/// Prints all but the end.
async fn follow(watch: GraphWatch, console: &Console) -> anyhow::Result<GraphView> {
    if watch.graph().finished_at.is_none() {
        console.result(watch.graph(), || summary(watch.graph()))?;
    }
    let ended = watch::each_seen(watch, console, false, |graph, seen| match seen {
        Seen::Event(event) => console.result(&event.document, || sentence(event)),
        Seen::Gap => {
            console.tell("some changes are not known any more; this is how the graph is now");
            console.result(graph, || summary(graph))
        }
    });
    ended.await
}

fn summary(graph: &GraphView) -> String {
    let nodes = &graph.nodes;
    let states = [
        ("waiting", nodes.waiting),
        ("ready", nodes.ready),
        ("assigned", nodes.assigned),
        ("running", nodes.running),
        ("succeeded", nodes.succeeded),
        ("failed", nodes.failed),
        ("expired", nodes.expired),
        ("cancelled", nodes.cancelled),
        ("skipped", nodes.skipped),
        ("needs_decision", nodes.needs_decision),
    ];
    let counts: Vec<String> =
        states.iter().filter(|(_, count)| *count > 0).map(|(state, count)| format!("{count} {state}")).collect();
    let finished = match (&graph.finished_at, fate::seconds(graph)) {
        (Some(at), Some(seconds)) => format!("{at}, after {seconds:.1} s"),
        (Some(at), None) => at.clone(),
        (None, _) => "not yet".to_owned(),
    };
    let mut text = table::fields(&[
        ("graph", graph.id.clone()),
        ("state", graph.state.clone()),
        ("nodes", format!("{}: {}", nodes.total, counts.join(", "))),
        ("submitted", graph.submitted_at.clone()),
        ("finished", finished),
    ]);
    text.push_str(&fate::troubles(graph));
    text
}

fn listing(nodes: &[NodeView]) -> String {
    let mut table = Table::new(&["node", "state", "tool", "class", "attempts", "forager", "reason"]);
    for node in nodes {
        let state = match &node.instances {
            Some(counts) => format!("{} ({} of {} succeeded)", node.state, counts.succeeded, counts.total),
            None => node.state.clone(),
        };
        table.row([
            node.id.clone(),
            state,
            node.tool.clone(),
            node.class.clone(),
            node.attempts.to_string(),
            node.forager.clone().unwrap_or_else(|| "-".to_owned()),
            table::shortened(node.reason.as_deref().unwrap_or(""), 80),
        ]);
    }
    table.render()
}
