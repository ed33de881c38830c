//! `antfarm check`: validates graphs without a cluster.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use antfarm_model::document::{self, Key, Tree, Value};
use antfarm_model::{Fault, Limits, Manifest, WallTime};
use clap::Args;
use serde_json::json;

use crate::console::Console;
use crate::exit::Exit;
use crate::graph_file::compile;
use crate::source::Source;
use crate::table;
use crate::tools_file;
use crate::words;

/// Validate graphs without a cluster
///
/// All faults of a file are told at once, each with its line, its column and its path.
/// Whether a tool exists is checked only with --tools; only the cluster knows its own.
/// Deadlines that a graph cannot keep by its own time-outs are told as warnings; they are no faults.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../help/check.txt"))]
pub(crate) struct Check {
    /// Graphs in YAML or JSON; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// A file of tools (TOML): with it, a node's tool must stand there or be built in
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,
}

impl Check {
    pub(crate) fn run(&self, console: &Console) -> anyhow::Result<Exit> {
        let tools = self.tools.as_deref().map(tools_file::read).transpose()?;
        let known: Option<BTreeSet<String>> = tools.map(|tools| {
            let built_in = Manifest::built_in().into_iter();
            built_in.chain(tools.into_iter().map(|tool| tool.manifest)).map(|tool| tool.name.to_string()).collect()
        });
        let mut exit = Exit::Done;
        let mut reports = Vec::new();
        let mut text = String::new();
        for file in &self.files {
            let source = Source::read(file)?;
            let (report, lines) = match check(&source.bytes, known.as_ref(), now()) {
                Ok(sound) => {
                    for warning in &sound.warnings {
                        console.tell(&format!("antfarm: warning: {}: {warning}", source.name));
                    }
                    valid(&source.name, &sound)
                }
                Err(faults) => {
                    exit = Exit::Refused;
                    invalid(&source.name, &faults)
                }
            };
            reports.push(report);
            text.push_str(&lines);
        }
        console.result(&json!({"files": reports}), || text)?;
        if exit == Exit::Done && known.is_none() {
            console.say("whether its tools exist was not checked: --tools FILE does, and so does `antfarm submit`");
        }
        Ok(exit)
    }
}

/// A graph without faults.
#[derive(Debug, PartialEq)]
struct Sound {
    nodes: usize,
    instances: u64,
    /// What speaks against it all the same.
    warnings: Vec<Fault>,
}

fn now() -> WallTime {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default(); // a clock before 1970 warns of nothing
    WallTime(u64::try_from(now.as_millis()).unwrap_or(u64::MAX))
}

fn check(bytes: &[u8], known_tools: Option<&BTreeSet<String>>, now: WallTime) -> Result<Sound, Vec<Fault>> {
    let limits = Limits::default();
    let compiled = compile(bytes, &limits, None);
    let unknown = match (known_tools, document::parse(bytes, &limits)) {
        (Some(known), Ok(tree)) => unknown_tools(&tree, known),
        _ => Vec::new(),
    };
    match compiled {
        Ok(graph) if unknown.is_empty() => Ok(Sound {
            nodes: graph.nodes.len(),
            instances: graph.nodes.iter().map(|node| u64::from(node.instances())).sum(),
            warnings: graph.warnings(now),
        }),
        compiled => {
            let mut faults: Vec<Fault> = compiled.err().into_iter().flatten().chain(unknown).collect();
            faults.sort_by_key(|fault| fault.position.unwrap_or((u32::MAX, u32::MAX)));
            Err(faults)
        }
    }
}

fn unknown_tools(tree: &Tree<'_>, known: &BTreeSet<String>) -> Vec<Fault> {
    let Some(nodes) = field(tree, "nodes") else { return Vec::new() };
    let nodes: Vec<(String, &Tree<'_>)> = match &nodes.value {
        Value::Map(entries) => entries.iter().map(|(key, node)| (format!("nodes.{}", key.text), node)).collect(),
        Value::List(items) => items.iter().enumerate().map(|(index, node)| (format!("nodes[{index}]"), node)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return Vec::new(),
    };
    let unknown = |(path, node): (String, &Tree<'_>)| {
        let tool = field(node, "tool")?;
        let Value::String(name) = &tool.value else { return None };
        (!known.contains(&**name)).then(|| Fault {
            path: format!("{path}.tool"),
            position: Some(tool.position),
            message: unknown(name, known),
        })
    };
    nodes.into_iter().filter_map(unknown).take(document::MAX_FAULTS).collect()
}

fn unknown(name: &str, known: &BTreeSet<String>) -> String {
    let meant = document::did_you_mean(name, known.iter().map(String::as_str));
    let listed: Vec<&str> = known.iter().map(String::as_str).collect();
    format!("no tool is named {name:?}; known are {}{meant}", listed.join(", "))
}

fn field<'t>(tree: &'t Tree<'_>, name: &str) -> Option<&'t Tree<'t>> {
    let Value::Map(entries) = &tree.value else { return None };
    entries.iter().find(|(Key { text, .. }, _)| text == name).map(|(_, value)| value)
}

fn valid(name: &str, Sound { nodes, instances, warnings }: &Sound) -> (serde_json::Value, String) {
    let warnings: Vec<serde_json::Value> =
        warnings.iter().map(|warning| json!({"path": warning.path, "message": warning.message})).collect();
    let report = json!({
        "file": name, "valid": true, "nodes": nodes, "instances": instances, "faults": [], "warnings": warnings,
    });
    let sizes = words::sizes(*nodes as u64, *instances);
    (report, format!("{name}: valid, {sizes}\n"))
}

fn invalid(name: &str, faults: &[Fault]) -> (serde_json::Value, String) {
    let reports: Vec<serde_json::Value> = faults
        .iter()
        .map(|fault| {
            let (line, column) = fault.position.unzip();
            json!({"path": fault.path, "line": line, "column": column, "message": fault.message})
        })
        .collect();
    let lines = table::lines(faults.iter().map(|fault| format!("{name}:{fault}")));
    (json!({"file": name, "valid": false, "faults": reports}), lines)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn faults_and_unknown_tools_are_told_together() {
        let text = "id: a\nnodes:\n  x: {tool: nop, after: [y]}\n  z: {tool: noop}\n";
        let known: BTreeSet<String> = ["echo".to_owned(), "noop".to_owned()].into();
        let faults = check(text.as_bytes(), Some(&known), WallTime(0)).expect_err("faults");
        let (_, lines) = invalid("g.yaml", &faults);
        let expected = expect![[r#"
            g.yaml:3:13: nodes.x.tool: no tool is named "nop"; known are echo, noop; did you mean "noop"?
            g.yaml:3:26: nodes.x.after[0]: no node is named "y"
        "#]];
        expected.assert_eq(&lines);
        assert!(check(b"id: a\nnodes: {x: {tool: nop}}", None, WallTime(0)).is_ok());
    }

    #[test]
    fn instances_are_counted() {
        let text = r#"{"id": "a", "nodes": [{"id": "x", "tool": "noop", "array": {"count": 7}}, {"id": "y", "tool": "noop"}]}"#;
        let sound = Sound { nodes: 2, instances: 8, warnings: Vec::new() };
        assert_eq!(check(text.as_bytes(), None, WallTime(0)), Ok(sound));
    }
}
