//! Waits for the end of a graph, and shows how far it is.

use std::fmt::Write as _;

use antfarm_client::Client;
use antfarm_client::views::GraphView;

use crate::console::Console;

/// Cells of a bar.
const BAR_CELLS: u64 = 24;

/// Waits until a graph ends. An election meanwhile only takes a little longer.
pub(crate) async fn until_ended(client: &Client, id: &str, console: &Console) -> anyhow::Result<GraphView> {
    let ended = client.wait_graph(id, |graph| console.progress(&line(graph, console.is_terminal()))).await;
    console.end_progress();
    Ok(ended?)
}

/// How far a graph is, in a line.
fn line(graph: &GraphView, bar: bool) -> String {
    let nodes = &graph.nodes;
    let ended = nodes.succeeded + nodes.failed + nodes.expired + nodes.cancelled + nodes.skipped;
    let mut text = String::new();
    if bar {
        let cells = (u64::from(ended) * BAR_CELLS).checked_div(nodes.total.into()).unwrap_or(0);
        let filled = usize::try_from(cells).unwrap_or(0);
        let empty = usize::try_from(BAR_CELLS - cells).unwrap_or(0);
        text = format!("[{}{}] ", "#".repeat(filled), "-".repeat(empty));
    }
    let _ = write!(text, "{}: {ended} of {} nodes ended", graph.id, nodes.total); // a String takes all
    let states = [
        (nodes.running, "running"),
        (nodes.ready + nodes.assigned, "ready"),
        (nodes.waiting, "waiting"),
        (nodes.failed, "failed"),
        (nodes.needs_decision, "in need of a decision (`antfarm node decide`)"),
    ];
    for (count, what) in states.iter().filter(|(count, _)| *count > 0) {
        let _ = write!(text, ", {count} {what}"); // a String takes all
    }
    if graph.state == "paused" {
        text.push_str(", paused");
    }
    text
}
