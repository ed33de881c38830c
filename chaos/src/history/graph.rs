//! Task graphs as the workload makes them: enough to write their documents, and to judge what became of them.

use antfarm_model::{OnDeadline, WallTime};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// A task graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GraphSpec {
    pub(crate) id: String,
    /// What a node does to the rest when its deadline passes.
    #[serde(default)]
    pub(crate) on_deadline: OnDeadline,
    pub(crate) nodes: Vec<NodeSpec>,
}

/// A node of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NodeSpec {
    pub(crate) id: String,
    pub(crate) tool: Tool,
    /// Instances, if it is an array.
    pub(crate) count: Option<u32>,
    /// The nodes that must have succeeded before.
    pub(crate) after: Vec<String>,
    /// In milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) deadline_ms: Option<u64>,
    /// In milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) not_before_ms: Option<u64>,
}

/// What a node runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Tool {
    /// Built in, guarded: a line in the ledger at the start and at the end.
    Append { ms: u64, guard: bool },
    /// Built in, pure: its result is its word.
    Echo { word: String },
    /// Built in, pure.
    Sleep { ms: u64 },
    /// A guarded program that leaves marks in the ledger while it runs.
    Work,
    /// The same, longer than a lease.
    Labour,
    /// An irrevocable program.
    Pay,
    /// An irrevocable program whose first attempt exits with 75: failed, and worth a retry.
    PayTwice,
}

impl Tool {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Append { .. } => "append",
            Self::Echo { .. } => "echo",
            Self::Sleep { .. } => "sleep",
            Self::Work => "work",
            Self::Labour => "labour",
            Self::Pay => "pay",
            Self::PayTwice => "pay-twice",
        }
    }

    /// Whether its attempts write to the ledger.
    pub(crate) fn leaves_marks(&self) -> bool {
        !matches!(self, Self::Echo { .. } | Self::Sleep { .. })
    }

    pub(crate) fn is_irrevocable(&self) -> bool {
        matches!(self, Self::Pay | Self::PayTwice)
    }

    fn args(&self, ledger: &str) -> Value {
        match self {
            Self::Append { ms, guard } => json!({"path": ledger, "ms": ms, "guard": guard}),
            Self::Echo { word } => json!(word),
            Self::Sleep { ms } => json!({"ms": ms}),
            Self::Work | Self::Labour | Self::Pay | Self::PayTwice => json!({}),
        }
    }
}

impl GraphSpec {
    /// A graph of these nodes.
    pub(crate) fn new(id: String, nodes: Vec<NodeSpec>) -> Self {
        Self { id, on_deadline: OnDeadline::default(), nodes }
    }

    /// The document that is submitted, with the path of the ledger.
    pub(crate) fn document(&self, ledger: &str) -> Value {
        let nodes = self.nodes.iter().map(|node| {
            let mut document = json!({"tool": node.tool.name(), "args": node.tool.args(ledger)});
            if let Some(count) = node.count {
                document["array"] = json!({"count": count});
            }
            if !node.after.is_empty() {
                document["after"] = json!(node.after);
            }
            if let Some(deadline) = node.deadline_ms {
                document["deadline"] = json!(WallTime(deadline).to_string());
            }
            if let Some(moment) = node.not_before_ms {
                document["not_before"] = json!(WallTime(moment).to_string());
            }
            (node.id.clone(), document)
        });
        let nodes = nodes.collect::<Map<_, _>>();
        json!({"id": self.id, "on_failure": "continue", "on_deadline": self.on_deadline, "nodes": nodes})
    }

    /// The node with that id.
    pub(crate) fn node(&self, id: &str) -> Option<&NodeSpec> {
        self.nodes.iter().find(|node| node.id == id)
    }
}

impl NodeSpec {
    /// A node that is no array and may run at any time.
    pub(crate) fn new(id: &str, tool: Tool, after: &[&str]) -> Self {
        let after = after.iter().map(ToString::to_string).collect();
        Self { id: id.to_owned(), tool, count: None, after, deadline_ms: None, not_before_ms: None }
    }

    /// How many instances it has.
    pub(crate) fn instances(&self) -> u32 {
        self.count.unwrap_or(1)
    }

    /// How an instance is named in documents: `fan[3]`, or `fetch`.
    pub(crate) fn instance_name(&self, index: u32) -> String {
        if self.count.is_some() { format!("{}[{index}]", self.id) } else { self.id.clone() }
    }
}
