//! `antfarm tool`: the manifests of a cluster.

use std::path::PathBuf;

use antfarm_client::{Client, Page};
use antfarm_model::document::ManifestDocument;
use clap::{Args, Subcommand};
use serde_json::json;

use crate::cli::Global;
use crate::commands::forager;
use crate::connection;
use crate::console::Console;
use crate::exit::Exit;
use crate::table::{self, Table};
use crate::tools_file;

/// Look at manifests of tools, and change them
///
/// A manifest says what a tool costs and what its repetition does. The command is the foragers' own affair: a graph names
/// a tool, and only a forager that has a command for it is asked to run it.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../help/tool.txt"))]
pub(crate) struct Tool {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(List),
    Show(Show),
    Apply(Apply),
    Delete(Delete),
}

/// List manifests
///
/// Each with what it costs, what its repetition does, and how many foragers have it. What none has, nodes wait for.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../help/tool-list.txt"))]
struct List {}

/// Show a manifest
///
/// As it holds for graphs that are submitted from now on.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../help/tool-show.txt"))]
struct Show {
    /// The tool
    name: String,
}

/// Declare tools, or change their manifests
///
/// The file (TOML) has one manifest, or a table [tools.NAME] for each tool, such as `antfarm dev --tools` takes; commands in
/// it are passed over. Graphs that were submitted before keep what held then.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../help/tool-apply.txt"))]
struct Apply {
    /// The manifests
    file: PathBuf,
}

/// Withdraw a manifest; refused while a graph uses it
///
/// Graphs that name the tool are refused from then on.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../help/tool-delete.txt"))]
struct Delete {
    /// The tool
    name: String,
}

impl Tool {
    pub(crate) fn run(&self, global: &Global, console: &Console) -> anyhow::Result<Exit> {
        connection::with(global, async |client| match &self.command {
            Command::List(List {}) => list(&client, console).await,
            Command::Show(show) => {
                let tool = client.tool(&show.name).await?;
                console.result(&tool, || summary(&tool))?;
                Ok(Exit::Done)
            }
            Command::Apply(apply) => apply.run(&client, console).await,
            Command::Delete(delete) => {
                client.delete_tool(&delete.name).await?;
                console.result(&json!({"deleted": delete.name}), || format!("{} withdrawn\n", delete.name))?;
                Ok(Exit::Done)
            }
        })
    }
}

async fn list(client: &Client, console: &Console) -> anyhow::Result<Exit> {
    let mut tools = Vec::new();
    let mut page = Page::default();
    loop {
        let shown = client.tools(&page).await?;
        tools.extend(shown.tools);
        page.after = shown.next;
        if page.after.is_none() {
            break;
        }
    }
    let foragers = forager::all(client).await?;
    let mut table = Table::new(&["tool", "class", "effects", "timeout", "retries", "foragers"]);
    for tool in &tools {
        table.row([
            tool.name.clone(),
            tool.cost_class.to_string(),
            tool.effects.to_string(),
            tool.timeout.clone(),
            tool.retries.to_string(),
            foragers.iter().filter(|forager| forager.tools.contains(&tool.name)).count().to_string(),
        ]);
    }
    console.result(&json!({"tools": tools}), || table.render())?;
    Ok(Exit::Done)
}

fn summary(tool: &ManifestDocument) -> String {
    let backoff = &tool.backoff;
    table::fields(&[
        ("tool", tool.name.clone()),
        ("cost class", tool.cost_class.to_string()),
        ("effects", tool.effects.to_string()),
        ("timeout", tool.timeout.clone()),
        ("retries", tool.retries.to_string()),
        (
            "back-off",
            format!("from {} to {}, each {} % of the last", backoff.initial, backoff.max, backoff.factor_percent),
        ),
    ])
}

impl Apply {
    async fn run(&self, client: &Client, console: &Console) -> anyhow::Result<Exit> {
        let manifests = tools_file::read_manifests(&self.file)?;
        let mut applied = Vec::new();
        for manifest in &manifests {
            applied.push(client.put_tool(&ManifestDocument::from(manifest)).await?);
        }
        let lines = || table::lines(applied.iter().map(|tool| format!("{} declared", tool.name)));
        console.result(&json!({"tools": applied}), lines)?;
        let foragers = forager::all(client).await?;
        let is_nowhere = |tool: &&ManifestDocument| !foragers.iter().any(|forager| forager.tools.contains(&tool.name));
        let nowhere = applied.iter().filter(is_nowhere).map(|tool| {
            let name = &tool.name;
            format!(
                "  no forager has {name} yet: add [tools.{name}] to a forager's configuration, or start one that has it"
            )
        });
        console.hint(&table::lines(nowhere));
        Ok(Exit::Done)
    }
}
