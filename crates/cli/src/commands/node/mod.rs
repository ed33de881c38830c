//! `antfarm node`: one node, or one instance of an array node.

mod decide;
mod explain;
mod logs;
mod show;

use std::str::FromStr;

use antfarm_model::{InstanceName, Name};
use clap::{Args, Subcommand};

use crate::cli::Global;
use crate::connection;
use crate::console::Console;
use crate::exit::Exit;

/// Look at a node: where it is, why it is there, what it wrote
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../help/node.txt"))]
pub(crate) struct Node {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Show(show::Show),
    Explain(explain::Explain),
    Logs(logs::Logs),
    Decide(decide::Decide),
}

impl Node {
    pub(crate) fn run(&self, global: &Global, console: &Console) -> anyhow::Result<Exit> {
        connection::with(global, async |client| match &self.command {
            Command::Show(show) => show.run(&client, console).await,
            Command::Explain(explain) => explain.run(&client, console).await,
            Command::Logs(logs) => logs.run(&client, console).await,
            Command::Decide(decide) => decide.run(&client, console).await,
        })
    }
}

/// What a user calls a node: `GRAPH/NODE`, or `GRAPH/NODE[3]` for one instance of an array node.
#[derive(Debug, Clone, PartialEq, Eq)]
struct NodePath {
    graph: String,
    node: String,
}

impl FromStr for NodePath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((graph, node)) = text.split_once('/') else {
            return Err("write it as GRAPH/NODE, such as nightly/clean or 'nightly/fan[3]'".to_owned());
        };
        let graph = Name::new(graph).map_err(|why| format!("the graph: {why}"))?;
        let node: InstanceName = node.parse().map_err(|why| format!("the node: {why}"))?;
        Ok(Self { graph: graph.to_string(), node: node.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_called_by_its_graph_and_its_name() {
        let path = |graph: &str, node: &str| Ok(NodePath { graph: graph.to_owned(), node: node.to_owned() });
        assert_eq!("nightly/clean".parse(), path("nightly", "clean"));
        assert_eq!("nightly/fan[3]".parse(), path("nightly", "fan[3]"));
        for text in ["nightly", "/clean", "nightly/", "nightly/a/b", "nightly/fan[x]"] {
            assert!(text.parse::<NodePath>().is_err(), "{text}");
        }
    }
}
