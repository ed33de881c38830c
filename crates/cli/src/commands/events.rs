//! `antfarm events`: what happens in a cluster, in the order in which it happened.

use std::time::Duration;

use antfarm_client::WatchedEvent;
use clap::Args;
use serde_json::Value;
use tokio::time::timeout;

use crate::cli::Global;
use crate::connection;
use crate::console::Console;
use crate::exit::{Exit, Stop};

/// Print what happens: graphs, nodes, foragers, tools
///
/// Events come in the order of the log; each has its index there. A failover only makes the stream pause.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../help/events.txt"))]
pub(crate) struct Events {
    /// Begin after this log index; without it, with what happens from now on
    #[arg(long, value_name = "INDEX")]
    since: Option<u64>,
    /// Go on for ever; without it, end after what has happened so far
    #[arg(long)]
    follow: bool,
    /// Only what is about this graph
    #[arg(long, value_name = "ID")]
    graph: Option<String>,
}

/// Without --follow, the stream has told all once nothing came for so long.
const SILENCE: Duration = Duration::from_millis(700);

impl Events {
    pub(crate) fn run(&self, global: &Global, console: &Console) -> anyhow::Result<Exit> {
        if self.since.is_none() && !self.follow {
            return Err(Stop::usage("say where to begin with --since INDEX, or what to do with --follow"));
        }
        connection::with(global, async |client| {
            let mut events = client.events(self.since, self.graph.as_deref());
            loop {
                let event = if self.follow {
                    events.next().await?
                } else {
                    match timeout(SILENCE, events.next()).await {
                        Ok(event) => event?,
                        Err(_) => return Ok(Exit::Done),
                    }
                };
                console.result(&event.document, || sentence(&event))?;
            }
        })
    }
}

/// `4711  node nightly/fan[3] running on forager-1`, with a line break.
pub(crate) fn sentence(WatchedEvent { index, document }: &WatchedEvent) -> String {
    let text = |field: &str| document.get(field).and_then(Value::as_str);
    let number = |field: &str| document.get(field).and_then(Value::as_u64);
    let mut words = vec![text("type").unwrap_or("event").replace('_', " ")];
    let name = match (text("graph"), text("node")) {
        (Some(graph), Some(node)) => Some(format!("{graph}/{node}{}", range(number("first"), number("count")))),
        (Some(graph), None) => Some(graph.to_owned()),
        (None, _) => text("forager").or(text("tool")).map(str::to_owned),
    };
    words.extend(name);
    words.extend(text("state").map(str::to_owned));
    if text("graph").is_some() {
        words.extend(text("forager").map(|forager| format!("on {forager}")));
    }
    words.extend(text("reason").map(|reason| format!("({reason})")));
    format!("{index:>10}  {}\n", words.join(" "))
}

/// Instances of an array node: `[3]`, `[3..=7]`.
fn range(first: Option<u64>, count: Option<u64>) -> String {
    match (first, count) {
        (Some(first), Some(1)) => format!("[{first}]"),
        (Some(first), Some(count)) => format!("[{first}..={}]", (first + count).saturating_sub(1)),
        (Some(_) | None, _) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_event_is_a_sentence() {
        let sentence = |document| sentence(&WatchedEvent { index: 4711, document });
        let node = json!({"index": 4711, "type": "node", "graph": "g", "node": "fan", "first": 3, "count": 2, "state": "running", "forager": "f"});
        assert_eq!(sentence(node), "      4711  node g/fan[3..=4] running on f\n");
        let rejected =
            json!({"type": "rejected", "graph": "g", "node": "a", "forager": "f", "fence": 7, "reason": "no_slot"});
        assert_eq!(sentence(rejected), "      4711  rejected g/a on f (no_slot)\n");
        assert_eq!(sentence(json!({"type": "graph_removed", "graph": "g"})), "      4711  graph removed g\n");
        assert_eq!(
            sentence(json!({"type": "forager", "forager": "f", "state": "lost"})),
            "      4711  forager f lost\n"
        );
    }
}
