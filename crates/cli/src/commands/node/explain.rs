//! `antfarm node explain`: why a node is where it is.

use antfarm_client::Client;
use clap::Args;

use super::NodePath;
use crate::console::Console;
use crate::exit::Exit;
use crate::hints;

/// Tell why a node is where it is
///
/// Of an array node, the first instance that has not ended is explained.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../help/node-explain.txt"))]
pub(super) struct Explain {
    /// The node, or one instance of an array node
    #[arg(value_name = "GRAPH/NODE")]
    node: NodePath,
}

impl Explain {
    pub(super) async fn run(&self, client: &Client, console: &Console) -> anyhow::Result<Exit> {
        let explanation = client.explain(&self.node.graph, &self.node.node).await?;
        let text = || format!("{} is {}: {}\n", explanation.id, explanation.state, explanation.explanation);
        console.result(&explanation, text)?;
        if explanation.state == "failed" {
            console.hint(&format!("  its log: antfarm node logs {}", hints::path(&self.node.graph, &explanation.id)));
        }
        Ok(Exit::Done)
    }
}
