//! `antfarm dev --exec`: runs graphs on the new cluster, and sums them up.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use antfarm_client::views::GraphView;
use antfarm_client::{Client, Page};
use antfarm_model::document::ManifestDocument;
use serde_json::{Value, json};

use super::child::Spec;
use crate::console::Console;
use crate::exit::{Exit, Stop};
use crate::fate;
use crate::graph_file::Submission;
use crate::table::shortened;
use crate::tools_file::Tool;
use crate::watch;

/// A new cluster has a leader within this time, or never.
const LEADER_WITHIN: Duration = Duration::from_secs(30);
/// After so long without a leader people are told.
const UNUSUAL: Duration = Duration::from_secs(3);
/// How often a cluster without a leader is asked again.
const ASK_EVERY: Duration = Duration::from_millis(100);

/// Last nodes whose results are shown, and characters of each.
const MAX_RESULTS: usize = 5;
const MOST_RESULT: usize = 2_000;

/// What to do about a graph that did not succeed, whose cluster is about to be gone.
const LOOK_CLOSER: &str = "\
  look closer: start the same cluster without --exec, submit the graph from another terminal, and ask
  `antfarm node explain GRAPH/NODE` and `antfarm node logs GRAPH/NODE`";

/// Instances up to which attempts are counted.
const MAX_COUNTED: u32 = 20_000;

/// Declares the tools, once somebody leads.
pub(super) async fn apply_tools(
    client: &Client,
    tools: &[Tool],
    queens: &[Spec],
    console: &Console,
) -> anyhow::Result<()> {
    let begun = Instant::now();
    while !client.cluster().await.is_ok_and(|cluster| cluster.leader.is_some()) {
        if begun.elapsed() >= LEADER_WITHIN {
            return Err(no_leader(queens));
        }
        if begun.elapsed() >= UNUSUAL {
            console.progress(&format!("no queen leads after {} s", begun.elapsed().as_secs()));
        }
        tokio::time::sleep(ASK_EVERY).await;
    }
    console.end_progress();
    for tool in tools {
        client.put_tool(&ManifestDocument::from(&tool.manifest)).await?;
    }
    if !tools.is_empty() {
        let names: Vec<&str> = tools.iter().map(|tool| tool.manifest.name.as_str()).collect();
        console.say(&format!("tools: {}", names.join(", ")));
    }
    Ok(())
}

/// What can be told when no queen came to lead; the logs may be gone in a moment.
fn no_leader(queens: &[Spec]) -> anyhow::Error {
    let mut text = format!("no queen leads after {} s; their logs tell why", LEADER_WITHIN.as_secs());
    for queen in queens {
        let _ = write!(text, "\n  the last lines of {}:{}", queen.log.display(), queen.last_lines()); // a String takes all
    }
    Stop::unknown(text)
}

/// Submits all graphs, waits for them in their order, and prints what came of each.
pub(super) async fn run(client: &Client, submissions: Vec<Submission>, console: &Console) -> anyhow::Result<Exit> {
    let mut submitted = Vec::new();
    for submission in &submissions {
        let answer = submission.send(client).await?;
        console.say(&submission.told(&answer));
        submitted.push(answer);
    }
    let mut graphs = Vec::new();
    let mut summaries = Vec::new();
    for (submission, submitted) in submissions.iter().zip(submitted) {
        let graph = watch::until_ended(client.watch_submitted(submitted), console).await?;
        let summary = Summary {
            attempts: attempts(client, &graph).await?,
            results: last_results(client, submission).await,
            graph: graph.clone(),
        };
        if !console.json() {
            console.print(&summary.text())?;
        }
        summaries.push(summary.document());
        graphs.push(graph);
    }
    if console.json() {
        console.result(&json!({"graphs": summaries}), String::new)?;
    }
    let fate = fate::worst(&graphs);
    if fate != Exit::Done {
        console.hint(LOOK_CLOSER);
    }
    Ok(fate)
}

/// What came of a graph.
struct Summary {
    graph: GraphView,
    /// How often a forager was asked; nothing, if there are too many instances to count.
    attempts: Option<u64>,
    /// Of the last nodes that have one, as JSON text.
    results: Vec<(String, String)>,
}

impl Summary {
    fn text(&self) -> String {
        let mut text = fate::sentence(&self.graph);
        if let Some(attempts) = self.attempts {
            let rate = fate::seconds(&self.graph).filter(|seconds| *seconds > 0.0);
            let rate = rate.map_or(String::new(), |seconds| {
                format!(", {:.0} nodes/s", f64::from(self.graph.nodes.succeeded) / seconds)
            });
            let _ = writeln!(text, "  {attempts} attempts{rate}"); // a String takes all
        }
        for (node, result) in &self.results {
            let _ = writeln!(text, "  {node}: {}", shortened(result, MOST_RESULT)); // a String takes all
        }
        text
    }

    fn document(&self) -> Value {
        let results: serde_json::Map<String, Value> = self
            .results
            .iter()
            .map(|(node, result)| (node.clone(), serde_json::from_str(result).unwrap_or(Value::Null)))
            .collect();
        json!({
            "graph": self.graph,
            "seconds": fate::seconds(&self.graph),
            "attempts": self.attempts,
            "results": results,
        })
    }
}

async fn attempts(client: &Client, graph: &GraphView) -> anyhow::Result<Option<u64>> {
    if graph.nodes.total > MAX_COUNTED {
        return Ok(None);
    }
    let mut attempts = 0;
    for state in ["succeeded", "failed", "expired", "cancelled"] {
        let mut page = Page { state: Some(state.to_owned()), limit: Some(1_000), ..Page::default() };
        loop {
            let shown = client.nodes(&graph.id, &page).await?;
            attempts += shown.nodes.iter().map(|node| u64::from(node.attempts)).sum::<u64>();
            page.after = shown.next;
            if page.after.is_none() {
                break;
            }
        }
    }
    Ok(Some(attempts))
}

/// The results of nodes that no other node waits for, where there are any: a node that did not succeed has none, and
/// `null` tells nothing.
async fn last_results(client: &Client, submission: &Submission) -> Vec<(String, String)> {
    let graph = &submission.graph;
    let mut is_last = vec![true; graph.nodes.len()];
    for node in &graph.nodes {
        let needed = node.after.iter().copied().chain(node.args.references.iter().map(|reference| reference.of));
        needed.for_each(|of| is_last[of.node.0 as usize] = false);
    }
    let mut results = Vec::new();
    for (node, _) in graph.nodes.iter().zip(is_last).filter(|(_, is_last)| *is_last).take(MAX_RESULTS) {
        if let Ok(result) = client.result_text(graph.id.as_str(), node.id.as_str()).await
            && result != "null"
        {
            results.push((node.id.to_string(), result));
        }
    }
    results
}
