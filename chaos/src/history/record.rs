//! One line of a history: who saw what, and when.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::event_log::Event;
use super::graph::GraphSpec;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// Microseconds since the run began, by the harness's monotonic clock.
    pub(crate) at_us: u64,
    /// Who wrote it down: `client-1`, `watch-2`, `nemesis`.
    pub(crate) by: String,
    /// Counts the records of that one, from 0.
    pub(crate) seq: u64,
    /// What it was.
    #[serde(flatten)]
    pub(crate) what: What,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub(crate) enum What {
    /// What this run was to be.
    Plan(Plan),
    /// A part of the run begins.
    Phase { phase: Phase },
    /// A process was started.
    Started { process: String, life: u32, pid: i32 },
    /// A process ended that nobody had killed.
    Died { process: String, life: u32, status: String },
    /// A client asks a queen.
    Invoke { op: u64, queen: u16, call: Call },
    /// It is done. `life` is that of the queen, if it was one and the same from before to after.
    Ok { op: u64, status: u16, index: u64, life: Option<u32>, graph: Option<GraphShown> },
    /// It was refused, and nothing has happened.
    Fail { op: u64, status: u16, index: u64, problem: String },
    /// Nobody knows whether it has taken effect or will.
    Info { op: u64, why: String },
    /// A fault begins; `confirmed_by` is a measured value.
    FaultOn { fault: u64, kind: FaultKind, on: String, confirmed_by: Option<String> },
    /// A fault is over; some can be confirmed only then.
    FaultOff { fault: u64, confirmed_by: Option<String> },
    /// What a queen says of itself.
    Status(QueenStatus),
    /// How far a queen is, and the digest of its state there.
    Position { queen: u16, life: u32, applied: u64, digest: String },
    /// What the leader says of all foragers, in one answer.
    Foragers { index: u64, foragers: Vec<ForagerSeen> },
    /// A reader of events begins at what comes after an index.
    Stream { queen: u16, after: u64 },
    /// All events of an entry.
    Entry { index: u64, events: Vec<Event> },
    /// A reader has read everything up to here.
    Read { upto: u64 },
    /// A reader was told that what comes next is gone, and goes on behind it.
    Gap { after: u64, resumed_after: u64 },
    /// A queen's log says that it took office.
    Leads { queen: u16, life: u32, epoch: u64 },
    /// A forager's log says that it learnt of an epoch.
    Learnt { forager: String, life: u32, epoch: u64 },
    /// A goal of liveness, and how long after the end of all faults it was reached; nothing if it was not.
    Reached { goal: Goal, after_ms: Option<u64>, last_look: String },
    /// How a graph stands at the end, with all its results.
    Final { graph: GraphShown, results: BTreeMap<String, Value> },
}

/// What a run was to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Plan {
    pub(crate) scenario: String,
    pub(crate) seed: u64,
    /// Whether processes ran on hosts of their own.
    pub(crate) hosts: bool,
    pub(crate) queens: u16,
    pub(crate) foragers: u16,
    pub(crate) slots: u32,
    /// The limit of the class `model`.
    pub(crate) model_slots: u32,
    /// The kinds of fault that it asks for.
    pub(crate) faults: Vec<FaultKind>,
}

/// A part of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Phase {
    /// Work without faults, by which the rate is measured.
    Calm,
    /// Work under faults.
    Faults,
    /// No fault any more; what was submitted comes to its end.
    Healed,
    /// Nothing is asked of the cluster any more but how it stands.
    Closing,
}

/// A kind of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FaultKind {
    /// SIGKILL, and a new process later.
    Kill,
    /// SIGSTOP, SIGCONT.
    Stop,
    /// Packets between two groups of hosts are dropped, both ways.
    Partition,
    /// Packets of one direction are dropped.
    OneWay,
    /// A link comes and goes.
    Flapping,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Kill => "kill",
            Self::Stop => "stop",
            Self::Partition => "partition",
            Self::OneWay => "one-way",
            Self::Flapping => "flapping",
        })
    }
}

/// What a client asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Call {
    /// A graph, perhaps once more.
    Submit {
        graph: GraphSpec,
    },
    /// Another graph under an id that was taken.
    Conflict {
        graph: String,
    },
    Cancel {
        graph: String,
    },
    Read {
        graph: String,
        stale: bool,
    },
    Decide {
        graph: String,
        node: String,
        index: u32,
        fence: u64,
        verdict: Verdict,
    },
}

/// What is decided about an instance whose fate is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    Retry,
    Succeed,
    Fail,
}

impl Verdict {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Succeed => "succeed",
            Self::Fail => "fail",
        }
    }
}

/// How a graph stood in an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GraphShown {
    pub(crate) id: String,
    /// Its place among all submissions.
    pub(crate) number: u64,
    /// Of its canonical form.
    pub(crate) digest: String,
    pub(crate) state: String,
    pub(crate) finished: bool,
}

/// What a queen's metrics say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct QueenStatus {
    pub(crate) queen: u16,
    pub(crate) life: u32,
    pub(crate) epoch: u64,
    pub(crate) leads: bool,
}

/// What a leader says of a forager.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ForagerSeen {
    pub(crate) name: String,
    pub(crate) state: String,
    pub(crate) slots: u32,
    /// Open attempts of all classes.
    pub(crate) open: u32,
    /// Open attempts of the class `model`.
    pub(crate) open_model: u32,
}

/// What must come about after all faults are over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Goal {
    /// A leader whom a quorum acknowledges.
    Leader,
    /// A fresh submission is acknowledged, counted from the leader.
    FreshSubmission,
    /// Every acknowledged graph has come to its end, counted from the leader.
    AllFinal,
    /// All queens are equal, all foragers ready, no attempt is open, counted from the end of the last graph.
    Settled,
}
