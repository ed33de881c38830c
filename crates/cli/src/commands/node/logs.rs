//! `antfarm node logs`: what an attempt wrote to its standard error.

use antfarm_client::Client;
use clap::Args;
use serde_json::json;

use super::NodePath;
use crate::console::Console;
use crate::exit::{Exit, Stop};

/// Print the end of what an attempt wrote to its standard error
///
/// The forager that ran the attempt keeps the last 64 KiB. Without --fence, the newest attempt is taken.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../help/node-logs.txt"))]
pub(super) struct Logs {
    /// The node, or one instance of an array node
    #[arg(value_name = "GRAPH/NODE")]
    node: NodePath,
    /// The attempt; `antfarm node show` lists them
    #[arg(long, value_name = "N")]
    fence: Option<u64>,
}

impl Logs {
    pub(super) async fn run(&self, client: &Client, console: &Console) -> anyhow::Result<Exit> {
        let NodePath { graph, node } = &self.node;
        let newest =
            async || anyhow::Ok(client.attempts(graph, node).await?.attempts.last().map(|newest| newest.fence));
        let fence = if self.fence.is_some() { self.fence } else { newest().await? };
        let Some(fence) = fence else {
            return Err(Stop::refused(format!(
                "{graph}/{node} was never given to a forager, so there is no log; `antfarm node explain {graph}/{node}` tells why"
            )));
        };
        let log = client.log(graph, node, fence).await?;
        let text = || if log.is_empty() || log.ends_with('\n') { log.clone() } else { format!("{log}\n") };
        console.result(&json!({"graph": graph, "node": node, "fence": fence, "log": log}), text)?;
        if log.is_empty() {
            console.say("the attempt wrote nothing to its standard error");
        }
        Ok(Exit::Done)
    }
}
