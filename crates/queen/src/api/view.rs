//! What answers are made of. The client library has the same shapes for reading.

use std::fmt::Write as _;
use std::sync::Arc;

use antfarm_model::WallTime;
use antfarm_scheduler::{Counts, InstanceState};
use serde::ser::{Error, SerializeMap};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// JSON text that stands in an answer as it is.
#[derive(Debug, Clone)]
pub(super) struct Raw(pub(super) Arc<str>);

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(&self.0).map_err(S::Error::custom)?;
        raw.serialize(serializer)
    }
}

/// `{total, waiting, ready, …}`, all counted in instances.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CountsView([u32; InstanceState::ALL.len()]);

impl CountsView {
    pub(super) fn new(counts: &Counts) -> Self {
        Self(InstanceState::ALL.map(|state| counts.of(state)))
    }

    pub(super) fn count(&mut self, state: InstanceState) {
        self.0[state as usize] += 1;
    }

    pub(super) fn of(&self, state: InstanceState) -> u32 {
        self.0[state as usize]
    }
}

impl Serialize for CountsView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1 + InstanceState::ALL.len()))?;
        map.serialize_entry("total", &self.0.iter().sum::<u32>())?;
        for state in InstanceState::ALL {
            map.serialize_entry(state.as_str(), &self.of(state))?;
        }
        map.end()
    }
}

/// Graphs, as a list and alone.
#[derive(Debug, Serialize)]
pub(super) struct GraphView {
    pub(super) id: String,
    pub(super) state: &'static str,
    pub(super) submitted_at: String,
    pub(super) finished_at: Option<String>,
    pub(super) nodes: CountsView,
    /// Its place among all submissions.
    pub(super) number: u64,
    /// The digest of its canonical form.
    pub(super) digest: String,
    pub(super) on_failure: antfarm_model::OnFailure,
    pub(super) on_deadline: antfarm_model::OnDeadline,
    /// Why it did not succeed: what there is to say about the first nodes that did not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) troubles: Vec<TroubleView>,
    /// In the answer to a submission: what speaks against the graph, although it is valid.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) warnings: Vec<WarningView>,
}

/// What speaks against a graph that is valid.
#[derive(Debug, Serialize)]
pub(super) struct WarningView {
    pub(super) path: String,
    pub(super) message: String,
}

/// An instance that has no result, and why.
#[derive(Debug, Serialize)]
pub(super) struct TroubleView {
    pub(super) id: String,
    pub(super) state: &'static str,
    pub(super) reason: Option<Arc<str>>,
}

/// A node, or one instance of it.
#[derive(Debug, Serialize)]
pub(super) struct NodeView {
    pub(super) graph: String,
    /// `fetch`, `fan` or `fan[3]`.
    pub(super) id: String,
    pub(super) node: String,
    /// Of an instance of an array node.
    pub(super) index: Option<u32>,
    pub(super) tool: String,
    pub(super) class: &'static str,
    pub(super) effects: &'static str,
    /// Of an array node as a whole: that of the instance that is least far.
    pub(super) state: &'static str,
    /// Of an array node as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) instances: Option<CountsView>,
    /// Attempts that are remembered, and how many of them failed by themselves.
    pub(super) attempts: u32,
    pub(super) failures: u32,
    /// Who has the newest open attempt, and its fence.
    pub(super) forager: Option<String>,
    pub(super) fence: Option<u64>,
    pub(super) deadline: Option<String>,
    pub(super) not_before: Option<String>,
    pub(super) timeout: String,
    pub(super) retries: u32,
    pub(super) pin: Option<String>,
    /// Why it has no result.
    pub(super) reason: Option<Arc<str>>,
    #[serde(flatten)]
    pub(super) detail: Option<NodeDetail>,
}

/// What only a node alone is shown with.
#[derive(Debug, Serialize)]
pub(super) struct NodeDetail {
    /// The first of the nodes and instances that must have succeeded before.
    pub(super) needs: Vec<String>,
    pub(super) needs_count: usize,
    /// With results in the places of references; null as long as they are not there.
    pub(super) args: Option<Raw>,
    pub(super) result: Option<Raw>,
}

/// One try.
#[derive(Debug, Serialize)]
pub(super) struct AttemptView {
    pub(super) fence: u64,
    /// The leadership that assigned it.
    pub(super) epoch: u64,
    pub(super) forager: String,
    /// `open`, or how it ended.
    pub(super) state: &'static str,
    /// In which way it failed or was rejected.
    pub(super) manner: Option<&'static str>,
    pub(super) assigned_at: String,
    pub(super) started_at: Option<String>,
    pub(super) closed_at: Option<String>,
    pub(super) message: Option<Arc<str>>,
    /// What somebody decided about it, if its fate was unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decided: Option<DecidedView>,
}

/// What somebody decided about an attempt.
#[derive(Debug, Serialize)]
pub(super) struct DecidedView {
    pub(super) verdict: &'static str,
    pub(super) by: Arc<str>,
    pub(super) why: Arc<str>,
    pub(super) at: String,
}

/// A moment as RFC 3339.
pub(super) fn moment(moment: WallTime) -> String {
    moment.to_string()
}

/// Bytes in hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}"); // writing to a String cannot fail
        text
    })
}
