//! `antfarm node decide`: what becomes of a node whose fate is unknown.

use antfarm_client::Client;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::NodePath;
use crate::console::Console;
use crate::exit::{Exit, Stop};

/// Decide what becomes of a node in `needs_decision`
///
/// An irrevocable attempt that may have started, and of whose end nobody knows, is never repeated by itself: somebody
/// looks whether it took effect, and decides. The fence names the attempt that was looked at; `antfarm node show` tells it,
/// and then shows who decided what, and why. The same decision again changes nothing; another one about the same attempt is
/// refused.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../help/node-decide.txt"))]
pub(super) struct Decide {
    /// The node, or one instance of an array node
    #[arg(value_name = "GRAPH/NODE")]
    node: NodePath,
    /// What becomes of it
    #[arg(value_enum)]
    verdict: Word,
    /// The attempt that was looked at
    #[arg(long, value_name = "N")]
    fence: u64,
    /// With `succeed`: the result, as JSON
    #[arg(long, value_name = "JSON")]
    result: Option<String>,
    /// With `retry`: the attempt no longer runs, although nothing proves it
    #[arg(long)]
    assume_ended: bool,
    /// Who decided
    #[arg(long = "as", value_name = "NAME", env = "USER", default_value = "somebody")]
    by: String,
    /// Why
    #[arg(long, value_name = "TEXT", default_value = "")]
    why: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Word {
    /// Run it again
    Retry,
    /// It took effect
    Succeed,
    /// It did not, and will not
    Fail,
}

impl Decide {
    pub(super) async fn run(&self, client: &Client, console: &Console) -> anyhow::Result<Exit> {
        let NodePath { graph, node } = &self.node;
        let decided = client.decide(graph, node, &self.ruling()?).await?;
        console.result(&decided, || {
            let before = if decided.new { "" } else { "; the same was decided before, and nothing has changed" };
            format!("{graph}/{node} is {}{before}\n", decided.node.state)
        })?;
        Ok(Exit::Done)
    }

    /// The body that the API takes.
    fn ruling(&self) -> anyhow::Result<Value> {
        if self.result.is_some() && self.verdict != Word::Succeed {
            return Err(Stop::usage("--result belongs to `succeed`; leave it out"));
        }
        if self.assume_ended && self.verdict != Word::Retry {
            return Err(Stop::usage("--assume-ended belongs to `retry`; leave it out"));
        }
        let verdict = match self.verdict {
            Word::Retry => "retry",
            Word::Succeed => "succeed",
            Word::Fail => "fail",
        };
        let mut ruling = json!({"verdict": verdict, "fence": self.fence, "by": self.by, "why": self.why});
        if self.assume_ended {
            ruling["assume_ended"] = true.into();
        }
        if let Some(result) = &self.result {
            ruling["result"] =
                serde_json::from_str(result).map_err(|why| Stop::usage(format!("--result is no JSON: {why}")))?;
        }
        Ok(ruling)
    }
}
