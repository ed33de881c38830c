//! The options that say how a file becomes a graph.

use antfarm_model::Name;
use anyhow::Context;
use clap::Args;
use serde_json::{Map, Value};

use crate::exit::Stop;
use crate::graph_file::Format;
use crate::wfformat::Conversion;

/// The tool that takes the time of a task.
const SLEEP: &str = "sleep";

/// Where the help lists these options.
const WORKFLOWS: &str = "Workflows of other systems";

/// How a file becomes a graph.
#[derive(Debug, Args)]
pub(crate) struct ConversionArgs {
    /// What the files are written in
    #[arg(long, value_enum, default_value_t = Format::Auto, help_heading = WORKFLOWS)]
    pub(crate) format: Format,
    /// How much of its recorded runtime a task of a workflow takes; 1 is all of it, 0 none
    #[arg(long, help_heading = WORKFLOWS, value_name = "FACTOR", default_value_t = Conversion::DEFAULT_TIME_SCALE, value_parser = factor)]
    time_scale: f64,
    /// The tool of every task of a workflow, which gets the runtime as `ms` in its arguments
    #[arg(long, help_heading = WORKFLOWS, value_name = "NAME", default_value = SLEEP)]
    tool: Name,
    /// Arguments of every task of a workflow, a JSON object; they win over `ms`
    #[arg(long, help_heading = WORKFLOWS, value_name = "JSON", default_value = "{}")]
    args: String,
}

impl ConversionArgs {
    /// The conversion, with an id for the graph if there is one.
    pub(crate) fn conversion(&self, id: Option<&Name>) -> anyhow::Result<Conversion> {
        let args: Map<String, Value> = serde_json::from_str(&self.args).map_err(|why| {
            Stop::usage(format!("--args: {why}; write a JSON object, such as '{{\"path\": \"/tmp/ledger\"}}'"))
        })?;
        Ok(Conversion { id: id.cloned(), time_scale: self.time_scale, tool: self.tool.clone(), args })
    }
}

fn factor(text: &str) -> anyhow::Result<f64> {
    let factor: f64 = text.parse().context("write a number, such as 0.001")?;
    anyhow::ensure!(factor.is_finite() && factor >= 0.0, "a factor is not below 0");
    Ok(factor)
}
