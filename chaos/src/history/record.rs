//! One line of a history: who saw what, and when.
//!
//! Two sides write histories: runs of real processes (`real`) and the simulated cluster (`sim`), which can look into
//! everything. Each kind says who writes it where that is not both. What nobody wrote down, no checker misses: a checker
//! that finds no record of its kind says nothing.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::attempt::{AttemptName, AttemptStep, HostileEnd, OpenAttempt};
use super::consensus::{Claim, DiskStep, Membership, Progress};
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
    /// What time it truly is, in milliseconds since 1970, and by how much a clock that nobody has set may be wrong; once is
    /// enough.
    Clock { wall_ms: u64, error_ms: u64 },
    /// How far a queen is by her own account.
    Progress(Progress),
    /// Who votes, as a queen shows it or as she applies it.
    Members { queen: u16, membership: Membership },
    /// `sim`: something happens to a queen's disk.
    Disk { queen: u16, life: u32, step: DiskStep },
    /// `sim`: a queen tells somebody something who relies on it.
    Claim { queen: u16, life: u32, claim: Claim },
    /// `sim`: a queen applies an entry; the digest is that of its bytes.
    Applied { queen: u16, life: u32, index: u64, term: u64, digest: String },
    /// A queen leaves office, in whatever way. `real` reads it from logs at the end, without its moment.
    Leaves { queen: u16, life: u32, epoch: u64 },
    /// `sim`: a queen has put a snapshot in the place of her state that another one has sent.
    Installed { queen: u16, life: u32, last: u64 },
    /// `sim`: a leader grants a forager's incarnation a lease; its end by the clock of records, as the forager will count
    /// it in the worst case.
    Granted { queen: u16, epoch: u64, forager: String, incarnation: u64, until_us: u64 },
    /// `sim`: the loss of an incarnation is committed, or the registration that takes its place without its journal. At
    /// its first apply at the latest.
    Lost { forager: String, incarnation: u64 },
    /// `sim`: a forager does something with an attempt, or a queen has confirmed its end; `may_overlap` where its tool is
    /// pure or idempotent.
    Attempt { forager: String, life: u32, attempt: AttemptName, may_overlap: bool, step: AttemptStep },
    /// `sim`: all attempts that a state shows as open.
    Open { queen: u16, applied: u64, attempts: Vec<OpenAttempt> },
    /// Why a node waits while so many foragers are ready, as a queen explains it.
    Waits { graph: String, node: String, reason: String, ready_foragers: u32 },
    /// The memory of a process, in KiB. `real`: resident; `sim`: what its state says of itself.
    Memory { process: String, life: u32, kib: u64 },
    /// How much waits in a queue that has a bound. `sim`, and `real` where metrics show it.
    Queue { process: String, queue: String, length: u64, limit: u64 },
    /// Somebody without a right sent something to a process, and what came of it.
    Hostile { to: String, sent: String, end: HostileEnd },
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
    /// Messages are lost, late, doubled, or come in another order.
    Loss,
    Delay,
    Duplication,
    Reordering,
    /// A disk does not answer, answers with an error, or is full.
    DiskStall,
    DiskError,
    DiskFull,
    /// With the process, everything ends that its disk had not synced.
    PowerLoss,
    /// The same, and the last write is there in part.
    TornWrite,
    /// A file is damaged between two lives.
    Damage,
    /// A clock of one process jumps.
    ClockJump,
    /// A member comes or goes.
    Membership,
    /// Leadership is handed over.
    Transfer,
    /// A snapshot is taken, and the log purged, out of turn.
    Snapshot,
    /// A second forager of the same name.
    Impostor,
    /// Messages that nobody with a right would send, or that are long out of date.
    Hostile,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Kill => "kill",
            Self::Stop => "stop",
            Self::Partition => "partition",
            Self::OneWay => "one-way",
            Self::Flapping => "flapping",
            Self::Loss => "loss",
            Self::Delay => "delay",
            Self::Duplication => "duplication",
            Self::Reordering => "reordering",
            Self::DiskStall => "disk-stall",
            Self::DiskError => "disk-error",
            Self::DiskFull => "disk-full",
            Self::PowerLoss => "power-loss",
            Self::TornWrite => "torn-write",
            Self::Damage => "damage",
            Self::ClockJump => "clock-jump",
            Self::Membership => "membership",
            Self::Transfer => "transfer",
            Self::Snapshot => "snapshot",
            Self::Impostor => "impostor",
            Self::Hostile => "hostile",
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

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Submit { graph } => write!(f, "submit {}", graph.id),
            Self::Conflict { graph } => write!(f, "submit another {graph}"),
            Self::Cancel { graph } => write!(f, "cancel {graph}"),
            Self::Read { graph, stale: false } => write!(f, "read {graph}"),
            Self::Read { graph, stale: true } => write!(f, "read {graph} (stale)"),
            Self::Decide { graph, node, index, verdict, .. } => {
                write!(f, "decide {} for {graph}/{node}[{index}]", verdict.as_str())
            }
        }
    }
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
    /// What waited for foragers goes on, counted from the first that came.
    Resumed,
    /// A submission is acknowledged after a leader's disk failed or stalled, counted from then, with a healthy majority.
    ServesAgain,
}
