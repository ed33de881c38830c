//! Watches graphs to their end, and shows how far they are.

use std::fmt::Write as _;

use antfarm_client::views::GraphView;
use antfarm_client::{GraphWatch, Seen};
use tokio::time::{Instant, sleep_until};

use crate::console::Console;

/// Cells of a bar.
const BAR_CELLS: u64 = 24;

/// Waits until a graph ends. An election meanwhile only takes a little longer.
pub(crate) async fn until_ended(watch: GraphWatch, console: &Console) -> anyhow::Result<GraphView> {
    each_seen(watch, console, true, |_, _| Ok(())).await
}

/// The same, and hands on what is seen meanwhile, each time with the graph as it is then. Where lines cannot be written
/// over, what is handed on may tell enough: `plain` says whether lines of progress are wanted all the same.
pub(crate) async fn each_seen(
    mut watch: GraphWatch,
    console: &Console,
    plain: bool,
    mut hand_on: impl FnMut(&GraphView, &Seen) -> anyhow::Result<()>,
) -> anyhow::Result<GraphView> {
    let shows = plain || console.is_terminal();
    let mut draw_at = Some(Instant::now()).filter(|_| shows && watch.graph().finished_at.is_none());
    let mut drawn_at = Instant::now();
    loop {
        tokio::select! {
            biased; // else a flood of changes would keep the old line there
            () = at(draw_at) => {
                console.progress(&line(watch.graph(), console.is_terminal()));
                (draw_at, drawn_at) = (None, Instant::now());
            }
            seen = watch.next() => {
                let Some(seen) = seen? else { break };
                hand_on(watch.graph(), &seen)?;
                if shows {
                    draw_at.get_or_insert(drawn_at + console.progress_every());
                }
            }
        }
    }
    console.end_progress();
    Ok(watch.graph().clone())
}

/// Waits until then; for ever without a time.
async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
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
