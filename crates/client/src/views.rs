//! What queens answer, as types. Fields that a newer queen adds are passed over.

use antfarm_model::document::ManifestDocument;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// JSON as it was written: keys in their order, numbers with all digits.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JsonText(Box<RawValue>);

impl JsonText {
    /// The text.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }
}

impl PartialEq for JsonText {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl std::fmt::Display for JsonText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

/// A number of instances in each state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each field is the state of that name")]
pub struct CountsView {
    pub total: u32,
    pub waiting: u32,
    pub ready: u32,
    pub assigned: u32,
    pub running: u32,
    pub succeeded: u32,
    pub failed: u32,
    pub expired: u32,
    pub cancelled: u32,
    pub skipped: u32,
    pub needs_decision: u32,
}

impl CountsView {
    /// The number of a state by its name.
    pub(crate) fn of_mut(&mut self, state: &str) -> Option<&mut u32> {
        Some(match state {
            "waiting" => &mut self.waiting,
            "ready" => &mut self.ready,
            "assigned" => &mut self.assigned,
            "running" => &mut self.running,
            "succeeded" => &mut self.succeeded,
            "failed" => &mut self.failed,
            "expired" => &mut self.expired,
            "cancelled" => &mut self.cancelled,
            "skipped" => &mut self.skipped,
            "needs_decision" => &mut self.needs_decision,
            _ => return None,
        })
    }
}

/// A graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GraphView {
    /// The id.
    pub id: String,
    /// `running`, `paused`, `succeeded`, `failed`, `cancelled` or `expired`.
    pub state: String,
    /// When it was submitted, as RFC 3339.
    pub submitted_at: String,
    /// When it ended.
    pub finished_at: Option<String>,
    /// All its instances by state.
    pub nodes: CountsView,
    /// Its place among all submissions.
    pub number: u64,
    /// The digest of its canonical form.
    pub digest: String,
    /// What a failed node does to the rest.
    pub on_failure: String,
    /// What an expired node does to the rest.
    pub on_deadline: String,
    /// The first instances that failed, expired or wait for a decision; not in lists.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub troubles: Vec<TroubleView>,
    /// What speaks against it although it is valid; only in the answer to a submission.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningView>,
}

/// What speaks against a graph that is valid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarningView {
    /// Where, as a path (`nodes.report.deadline`).
    pub path: String,
    /// What, and what to do.
    pub message: String,
}

/// An instance that has no result, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TroubleView {
    /// The instance.
    pub id: String,
    /// Its state.
    pub state: String,
    /// What there is to say about it.
    pub reason: Option<String>,
}

/// A node, or one instance of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeView {
    /// The graph.
    pub graph: String,
    /// `fetch`, `fan` or `fan[3]`.
    pub id: String,
    /// The node, without an index.
    pub node: String,
    /// Of an instance of an array node.
    pub index: Option<u32>,
    /// The tool.
    pub tool: String,
    /// The cost class of the tool.
    pub class: String,
    /// The effect class of the tool.
    pub effects: String,
    /// Of an array node as a whole: that of the instance that is least far.
    pub state: String,
    /// Of an array node as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instances: Option<CountsView>,
    /// Attempts that are remembered.
    pub attempts: u32,
    /// How many attempts failed by themselves.
    pub failures: u32,
    /// Who has the newest open attempt.
    pub forager: Option<String>,
    /// Its fence.
    pub fence: Option<u64>,
    /// After this moment it expires.
    pub deadline: Option<String>,
    /// Before this moment it is not ready.
    pub not_before: Option<String>,
    /// The longest run of an attempt.
    pub timeout: String,
    /// Further tries after the first.
    pub retries: u32,
    /// The only forager that may run it.
    pub pin: Option<String>,
    /// Why it has no result.
    pub reason: Option<String>,
    /// The first of the nodes that must have succeeded before; not in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs: Option<Vec<String>>,
    /// How many those are; not in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs_count: Option<usize>,
    /// With results in the places of references; not in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<JsonText>,
    /// The result; not in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<JsonText>,
}

/// Why an instance is where it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExplanationView {
    /// The instance.
    pub id: String,
    /// Its state.
    pub state: String,
    /// The reason in one word.
    pub reason: String,
    /// The reason as a sentence.
    pub explanation: String,
    /// What would change it, if anything can.
    pub change: Option<String>,
    /// When the instance expires, if it has not ended.
    pub deadline: Option<String>,
    /// The first foragers in question, with what stands in the way at each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub foragers: Vec<ObstacleView>,
}

/// What keeps a forager from taking an instance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObstacleView {
    /// The forager.
    pub name: String,
    /// What stands in the way, in one word.
    pub obstacle: String,
    /// How long that lasts at most, in milliseconds, if it is known.
    pub left_ms: Option<u64>,
}

/// A node after somebody decided about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DecidedNode {
    /// Whether this request decided; otherwise the same was decided before, and nothing has changed.
    pub new: bool,
    /// The node.
    pub node: NodeView,
}

/// One try.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptView {
    /// The fence.
    pub fence: u64,
    /// The leadership that assigned it.
    pub epoch: u64,
    /// Who has it, or had it.
    pub forager: String,
    /// `open`, or how it ended.
    pub state: String,
    /// In which way it failed or was rejected.
    pub manner: Option<String>,
    /// When it was assigned.
    pub assigned_at: String,
    /// When its start became known.
    pub started_at: Option<String>,
    /// When it was closed.
    pub closed_at: Option<String>,
    /// What there is to say about it.
    pub message: Option<String>,
    /// What somebody decided about it, if its fate was unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided: Option<DecidedView>,
}

/// What somebody decided about an attempt of unknown fate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecidedView {
    /// `retry`, `succeed` or `fail`.
    pub verdict: String,
    /// Who.
    pub by: String,
    /// Why.
    pub why: String,
    /// When.
    pub at: String,
}

/// The attempts at an instance that are remembered, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptPage {
    /// All of them.
    pub attempts: Vec<AttemptView>,
    /// Those before, which are no longer kept one by one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub older: Vec<OlderView>,
}

/// A number of attempts that ended alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OlderView {
    /// How they ended.
    pub state: String,
    /// In which way they failed or were rejected.
    pub manner: Option<String>,
    /// How many.
    pub count: u32,
}

/// A number for each cost class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each field is the class of that name")]
pub struct ByClass<T> {
    pub cpu: T,
    pub io: T,
    pub model: T,
}

/// A forager.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForagerView {
    /// The name.
    pub name: String,
    /// `ready`, `draining`, `suspect`, `lost` or `quarantined`.
    pub state: String,
    /// The registration that counts.
    pub incarnation: u64,
    /// How many attempts it runs at once.
    pub slots: u32,
    /// How many of them are free.
    pub free_slots: u32,
    /// How many of one class, where that is limited.
    pub class_slots: ByClass<Option<u32>>,
    /// How many attempts it takes beyond its slots.
    #[serde(default)]
    pub prefetch: u32,
    /// What it was told to run.
    pub open_attempts: ByClass<u64>,
    /// The tools that it has.
    pub tools: Vec<String>,
    /// Whether it was told to take no more.
    pub draining: bool,
    /// Decisions in a row of which it rejected something.
    pub rejects: u32,
    /// Why it gets nothing for a while.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quarantine: Option<QuarantineView>,
    /// Tools of which it gets nothing for a while, because too much of them failed there at once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_quarantines: Vec<ToolQuarantineView>,
    /// Nodes that it would not run and that wait until it is asked again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub backoffs: Vec<BackoffView>,
    /// Milliseconds since the leader heard it.
    pub heard_ms_ago: Option<u64>,
    /// Its open attempts; not in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts: Option<Vec<HeldView>>,
}

/// A quarantine for too many rejections in a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuarantineView {
    /// How long it lasts, in milliseconds.
    pub left_ms: u64,
    /// Why the forager rejected last.
    pub reason: Option<String>,
}

/// A tool of which a forager gets nothing for a while.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolQuarantineView {
    /// The tool.
    pub tool: String,
    /// How long that lasts, in milliseconds.
    pub left_ms: u64,
    /// Quick failures in a row.
    pub failures: u32,
}

/// A node that a forager would not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackoffView {
    /// The graph.
    pub graph: String,
    /// The node.
    pub node: String,
    /// In how many milliseconds the forager is asked again.
    pub left_ms: u64,
}

/// What a forager was told to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldView {
    /// The graph.
    pub graph: String,
    /// The node.
    pub node: String,
    /// The index, 0 for a node without an array.
    pub index: u32,
    /// The fence.
    pub fence: u64,
    /// Whether its start is known.
    pub started: bool,
    /// Whether it is to be cancelled.
    pub cancelled: bool,
}

/// The cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterView {
    /// Its id.
    pub cluster_id: String,
    /// Who leads, if anybody does that can be reached.
    pub leader: Option<u64>,
    /// The term of the queen that answered.
    pub term: u64,
    /// The members.
    pub members: Vec<MemberView>,
    /// The last entry that the queen knows to be committed.
    pub commit_index: u64,
    /// The last entry that it applied.
    pub applied_index: u64,
    /// The digest of its state at that entry.
    pub state_digest: String,
    /// Instances that could run.
    pub ready: ByClass<u64>,
    /// Attempts that are open.
    pub open_attempts: u64,
}

/// Who leads, as one queen knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct LeaderView {
    /// Who leads, if she knows.
    pub leader: Option<u64>,
    /// Her term.
    pub term: u64,
}

/// A member after its place in the cluster was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedMember {
    /// The member id.
    pub id: u64,
    /// Whether it votes.
    pub voter: bool,
    /// Where clients and foragers reach it.
    pub http: String,
    /// Where its peers reach it.
    pub raft: String,
}

/// A member of the cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberView {
    /// The member id.
    pub id: u64,
    /// `leader`, `follower` or `learner`.
    pub role: String,
    /// Whether it votes.
    pub voter: bool,
    /// Where clients and foragers reach it.
    pub http: String,
    /// Where its peers reach it.
    pub raft: String,
    /// Its term, if it answers.
    pub term: Option<u64>,
    /// The last entry of its log, as far as is known.
    pub last_log_index: Option<u64>,
    /// The last entry that it applied, if it answers.
    pub applied_index: Option<u64>,
    /// Whether it answers.
    pub reachable: bool,
    /// How far its wall clock is ahead of that of the queen that answered.
    pub clock_skew_ms: Option<i64>,
}

/// A result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultView {
    /// The instance.
    pub id: String,
    /// Its result.
    pub result: JsonText,
}

macro_rules! page {
    ($(#[$doc:meta])* $name:ident { $field:ident: $item:ty }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        pub struct $name {
            /// What is on the page.
            pub $field: Vec<$item>,
            /// What to ask for `after`; nothing after the last page.
            #[serde(default)]
            pub next: Option<String>,
        }
    };
}

page!(
    /// Graphs.
    GraphPage { graphs: GraphView }
);
page!(
    /// Nodes or instances.
    NodePage { nodes: NodeView }
);
page!(
    /// Results.
    ResultPage { results: ResultView }
);
page!(
    /// Foragers.
    ForagerPage { foragers: ForagerView }
);
page!(
    /// Tools.
    ToolPage { tools: ManifestDocument }
);
