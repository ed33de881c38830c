//! `antfarm submit`: hands graphs in, and waits for them if asked to.

use std::path::PathBuf;

use antfarm_client::{Client, Submitted};
use antfarm_model::Name;
use clap::Args;
use serde_json::{Value, json};

use crate::cli::Global;
use crate::connection;
use crate::console::Console;
use crate::conversion_args::ConversionArgs;
use crate::exit::{Exit, Stop};
use crate::fate;
use crate::graph_file::Submission;
use crate::hints;
use crate::interrupts::unless_interrupted;
use crate::watch;

/// Submit graphs
///
/// A graph is named by its id, so submitting it again is safe: the same graph is there once, another graph under that id is
/// refused. Workflows of WfCommons (WfFormat 1.5) become graphs of the same shape, called as their file is.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../help/submit.txt"))]
pub(crate) struct Submit {
    /// Graphs; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The id of the graph, in place of its own; for one file only
    #[arg(long)]
    id: Option<Name>,
    /// Wait until the graphs end, and end with their fate
    #[arg(long)]
    wait: bool,
    #[command(flatten)]
    conversion: ConversionArgs,
}

impl Submit {
    pub(crate) fn run(&self, global: &Global, console: &Console) -> anyhow::Result<Exit> {
        if self.id.is_some() && self.files.len() > 1 {
            return Err(Stop::usage("--id is for one file; each graph needs an id of its own"));
        }
        connection::with(global, async |client| self.submit_all(&client, console).await)
    }

    /// A file that fails does not keep the others back.
    async fn submit_all(&self, client: &Client, console: &Console) -> anyhow::Result<Exit> {
        let mut worst = Exit::Done;
        let mut documents = Vec::new();
        let mut submitted = Vec::new();
        for file in &self.files {
            match self.submit(file, client, console).await {
                Ok((graph, document)) => {
                    submitted.push(graph);
                    documents.push(document);
                }
                Err(error) => {
                    worst = worst.max(Exit::of(&error));
                    console.tell(&format!("antfarm: {error:#}"));
                    documents
                        .push(json!({"file": file, "error": format!("{error:#}"), "exit": Exit::of(&error).code()}));
                }
            }
        }
        if self.wait {
            for graph in submitted {
                let id = graph.graph.id.clone();
                let words = format!("{id} goes on; see it with `antfarm graph wait {id}`");
                let ended = watch::until_ended(client.watch_submitted(graph), console);
                let graph = unless_interrupted(console, &words, ended).await?;
                if !console.json() {
                    console.print(&fate::sentence(&graph))?;
                    console.hint(&hints::of(&graph));
                }
                worst = worst.max(fate::worst([&graph]));
                let document = documents.iter_mut().find(|document| document["id"] == *graph.id);
                if let Some(document) = document {
                    document["graph"] = json!(graph);
                }
            }
        }
        if console.json() {
            console.result(&json!({"submitted": documents}), String::new)?;
        }
        Ok(worst)
    }

    async fn submit(&self, file: &PathBuf, client: &Client, console: &Console) -> anyhow::Result<(Submitted, Value)> {
        let conversion = self.conversion.conversion(self.id.as_ref())?;
        let submission = Submission::read(file, self.conversion.format, &conversion)?;
        let answer = submission.send(client).await?;
        for warning in &answer.graph.warnings {
            console.tell(&format!("antfarm: warning: {}: {}: {}", file.display(), warning.path, warning.message));
        }
        let (id, nodes) = (submission.graph.id.to_string(), submission.graph.nodes.len());
        let text = submission.told(&answer);
        if self.wait || console.json() {
            console.say(&text);
        } else {
            console.print(&format!("{text}\n"))?;
        }
        let edges: usize =
            submission.graph.nodes.iter().map(|node| node.after.len() + node.args.references.len()).sum();
        let warnings = &answer.graph.warnings;
        let document = json!({
            "file": file, "id": id, "new": answer.new, "nodes": nodes, "edges": edges, "warnings": warnings,
        });
        Ok((answer, document))
    }
}
