//! WfCommons WfFormat 1.5 becomes a task graph: the same nodes and edges, each task a node that takes its recorded time.

mod document;
mod names;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use antfarm_model::{Manifest, Name};
use serde_json::{Map, Value};

use document::Document;
pub(crate) use document::is_wfformat;
pub(crate) use names::sanitised;

/// How the tasks of a workflow become nodes.
#[derive(Debug, Clone)]
pub(crate) struct Conversion {
    /// The id of the graph; the document's name, if none.
    pub(crate) id: Option<Name>,
    /// Recorded seconds are multiplied by this.
    pub(crate) time_scale: f64,
    /// The tool of every node.
    pub(crate) tool: Name,
    /// Arguments of every node, beside `ms`; they win over it.
    pub(crate) args: Map<String, Value>,
}

impl Conversion {
    /// A recorded second becomes a millisecond.
    pub(crate) const DEFAULT_TIME_SCALE: f64 = 0.001;

    /// The graph as JSON text, or everything that is wrong with the workflow.
    pub(crate) fn convert(&self, bytes: &[u8]) -> Result<String, Vec<String>> {
        let document = Document::read(bytes).map_err(|fault| vec![fault])?;
        let tasks = document.tasks()?;
        let names = names::of(tasks.iter().map(|task| task.id));
        let mut faults = Vec::new();
        let mut json = format!("{{\"id\":{},\"nodes\":{{", quoted(&self.graph_id(&document)));
        for (number, task) in tasks.iter().enumerate() {
            let ms = self.ms(task.runtime_s).unwrap_or_else(|why| {
                faults.push(format!("task {}: {why}", task.id));
                0
            });
            if number > 0 {
                json.push(',');
            }
            self.write_node(&mut json, &names[task.id], ms, task.parents.iter().map(|parent| &*names[*parent]));
        }
        json.push_str("}}");
        if faults.is_empty() { Ok(json) } else { Err(faults) }
    }

    fn graph_id(&self, document: &Document) -> String {
        self.id.as_ref().map_or_else(|| names::sanitised(document.name()), ToString::to_string)
    }

    /// How long a node takes. Without a time scale nobody asks how long the task took.
    fn ms(&self, runtime_s: Option<f64>) -> Result<u64, String> {
        const MOST_MS: f64 = 365.0 * 86_400_000.0;
        if self.time_scale == 0.0 {
            return Ok(0);
        }
        let Some(runtime_s) = runtime_s else {
            return Err("no runtimeInSeconds is recorded; --time-scale 0 runs it without".to_owned());
        };
        let ms = (runtime_s * self.time_scale * 1_000.0).round();
        if (0.0..=MOST_MS).contains(&ms) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and in range")]
            Ok(ms as u64)
        } else {
            Err(format!("runtimeInSeconds {runtime_s} × {} is no time that a node can take", self.time_scale))
        }
    }

    fn write_node<'a>(&self, json: &mut String, name: &str, ms: u64, parents: impl Iterator<Item = &'a str>) {
        let mut args = Map::new();
        args.insert("ms".to_owned(), ms.into());
        args.extend(self.args.clone());
        let tool = quoted(self.tool.as_str());
        let _ = write!(json, "{}:{{\"tool\":{tool},\"args\":{}", quoted(name), Value::Object(args)); // a String takes all
        let parents: Vec<String> = parents.map(quoted).collect();
        if !parents.is_empty() {
            let _ = write!(json, ",\"after\":[{}]", parents.join(","));
        }
        if let Some(timeout_ms) = timeout_ms(ms) {
            let _ = write!(json, ",\"timeout\":\"{timeout_ms}ms\"");
        }
        json.push('}');
    }
}

/// A node that takes long gets twice its time, where the built-in tools' own limit may be too short.
fn timeout_ms(ms: u64) -> Option<u64> {
    let doubled = ms.saturating_mul(2);
    (doubled > Manifest::DEFAULT_TIMEOUT.0).then_some(doubled)
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// A task's id and what it waits for, with the recorded time.
struct Task<'d> {
    id: &'d str,
    parents: Vec<&'d str>,
    runtime_s: Option<f64>,
}

/// Names of nodes by the ids of their tasks.
type Names<'d> = BTreeMap<&'d str, String>;

#[cfg(test)]
mod tests;
