//! Every command that may stand in the log. Variants are appended, never reordered: their numbers are stored.

use std::sync::Arc;

use antfarm_model::{CostClass, Fence, ForagerNo, Graph, GraphNo, Incarnation, Manifest, Name, Span};
use serde::{Deserialize, Serialize};

use crate::codec::{self, CodecError, Kind};
use crate::instances::{AttemptId, Attempts, InstanceId, Instances};

/// One change of the state. Names have become numbers before; where a name is not known yet, it stands itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Command {
    /// Declares a tool, or changes its manifest for graphs that are submitted later.
    PutTool(Manifest),
    /// Withdraws a tool's manifest; refused while a graph that uses it has not been removed.
    DeleteTool {
        /// The tool.
        name: Name,
    },
    /// A part of a graph that is too large for one entry.
    Upload {
        /// Which upload; chosen by the leader, never twice.
        upload: u64,
        /// The number of the part, from 0.
        part: u32,
        /// The bytes.
        bytes: Arc<[u8]>,
        /// How many parts it will have; with the last of them it can be read.
        parts: u32,
    },
    /// Submits a graph.
    Submit(GraphSource),
    /// Cancels a graph.
    CancelGraph {
        /// The graph.
        graph: GraphNo,
    },
    /// Assigns nothing more of a graph until it is resumed.
    PauseGraph {
        /// The graph.
        graph: GraphNo,
    },
    /// Ends a pause.
    ResumeGraph {
        /// The graph.
        graph: GraphNo,
    },
    /// Removes a graph that has ended; its id stays taken for a while.
    RemoveGraph {
        /// The graph.
        graph: GraphNo,
        /// How long the id stays taken.
        dedupe_window: Span,
    },
    /// Decides what becomes of an instance in `needs_decision`.
    Decide(Decision),
    /// A forager process announces itself.
    Register(Registration),
    /// Assigns nothing more to a forager.
    Drain {
        /// The forager.
        forager: ForagerNo,
    },
    /// Ends a drain, and a quarantine.
    Undrain {
        /// The forager.
        forager: ForagerNo,
    },
    /// A forager is not heard: what may run twice is reissued.
    Suspect {
        /// The forager.
        forager: ForagerNo,
        /// The incarnation that is not heard.
        incarnation: Incarnation,
    },
    /// A suspect forager is heard again.
    Trust {
        /// The forager.
        forager: ForagerNo,
        /// The incarnation that is heard.
        incarnation: Incarnation,
    },
    /// A forager's lease is over: all its attempts are closed.
    Lose {
        /// The forager.
        forager: ForagerNo,
        /// The incarnation whose lease is over.
        incarnation: Incarnation,
    },
    /// Opens an attempt at each of the instances; the log index of the entry is their fence.
    Assign {
        /// Who is to run them.
        forager: ForagerNo,
        /// The incarnation that was seen.
        incarnation: Incarnation,
        /// What is to be run.
        instances: Instances,
    },
    /// Attempts have started.
    Started {
        /// Whose.
        forager: ForagerNo,
        /// Which.
        attempts: Attempts,
    },
    /// A forager will not run attempts and never started them.
    Reject {
        /// Whose.
        forager: ForagerNo,
        /// Which.
        attempts: Attempts,
        /// Why.
        reason: RejectReason,
    },
    /// A forager hands back attempts that it never started.
    Return {
        /// Whose.
        forager: ForagerNo,
        /// Which.
        attempts: Attempts,
    },
    /// Attempts have ended.
    End {
        /// Whose.
        forager: ForagerNo,
        /// Which.
        attempts: Attempts,
        /// How, the same for all of them.
        outcome: AttemptOutcome,
    },
}

impl Command {
    /// No result is larger, whatever the configured limit says, in bytes.
    pub const MAX_RESULT_BYTES: usize = 1 << 20;

    /// No message of a failure is longer, in bytes.
    pub const MAX_MESSAGE_BYTES: usize = 64 << 10;

    /// Takes in a command that says the same of the attempts that follow; tells whether it does. What is left means the
    /// same as both, one after the other. Rejects stay apart: it counts how many there were.
    pub fn join(&mut self, next: &Self) -> bool {
        match (self, next) {
            (Self::End { forager, attempts, outcome }, Self::End { forager: of, attempts: more, outcome: equal }) => {
                forager == of && outcome == equal && attempts.join(more)
            }
            (Self::Started { forager, attempts }, Self::Started { forager: of, attempts: more })
            | (Self::Return { forager, attempts }, Self::Return { forager: of, attempts: more }) => {
                forager == of && attempts.join(more)
            }
            (_, _) => false,
        }
    }
}

/// Where a submitted graph's bytes are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum GraphSource {
    /// Here.
    Inline(Arc<[u8]>),
    /// In an upload with that many parts.
    Uploaded {
        /// Which upload.
        upload: u64,
        /// How many parts it must have.
        parts: u32,
    },
}

impl GraphSource {
    /// The bytes of a graph, for [`GraphSource::Inline`] or to be cut into parts.
    pub fn encode(graph: &Graph) -> Vec<u8> {
        codec::encode(Kind::Graph, graph)
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Graph, CodecError> {
        codec::decode(Kind::Graph, bytes)
    }
}

/// What somebody decided about an instance whose fate is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The instance.
    pub instance: InstanceId,
    /// The attempt whose fate is unknown; a decision about an older one authorises nothing.
    pub fence: Fence,
    /// What is to be done.
    pub verdict: Verdict,
    /// Who decided.
    pub by: Arc<str>,
    /// Why.
    pub why: Arc<str>,
}

/// The ways out of `needs_decision`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// Try again. Whoever says so must know that the former attempt has ended, or say that it is assumed.
    Retry {
        /// The end of the former attempt is taken for granted.
        assume_ended: bool,
    },
    /// It succeeded; this is the result, as JSON.
    Succeed {
        /// The result.
        result: Arc<str>,
    },
    /// It failed.
    Fail,
}

/// A [`Verdict`] without what belongs to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictKind {
    /// Try again.
    Retry,
    /// It succeeded.
    Succeed,
    /// It failed.
    Fail,
}

impl VerdictKind {
    /// The name in documents.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Succeed => "succeed",
            Self::Fail => "fail",
        }
    }
}

impl Verdict {
    /// What it is, without what belongs to it.
    pub const fn kind(&self) -> VerdictKind {
        match self {
            Self::Retry { .. } => VerdictKind::Retry,
            Self::Succeed { .. } => VerdictKind::Succeed,
            Self::Fail => VerdictKind::Fail,
        }
    }
}

/// What a forager process says of itself when it registers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registration {
    /// The name.
    pub name: Name,
    /// A number that the process drew when it started, the same in all its registrations: one whose answer was lost is
    /// repeated without harm.
    pub process: Option<u64>,
    /// The former incarnation whose journal it holds: the proof that it may take over that one's attempts.
    pub former: Option<Incarnation>,
    /// The attempts of the former incarnation that the journal knows.
    pub known: Vec<AttemptId>,
    /// The machine booted since: what the journal does not know may have started all the same.
    pub rebooted: bool,
    /// How many attempts it runs at once.
    pub slots: u32,
    /// How many of one class, by [`CostClass::index`].
    pub class_slots: [Option<u32>; CostClass::ALL.len()],
    /// How many attempts it takes beyond its slots, to begin each as soon as a slot is free.
    pub prefetch: u32,
    /// The tools that it has.
    pub tools: Vec<Name>,
    /// After how many lost foragers in a row an instance fails as poison.
    pub poison_limit: u32,
}

/// Why a forager will not run an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RejectReason {
    /// All its slots are taken.
    NoSlot,
    /// It does not have the tool.
    UnknownTool,
    /// It takes no more work.
    Draining,
    /// By its clock the deadline has passed.
    DeadlinePassed,
    /// It has seen a higher epoch.
    StaleEpoch,
}

impl RejectReason {
    /// The name in documents.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoSlot => "no_slot",
            Self::UnknownTool => "unknown_tool",
            Self::Draining => "draining",
            Self::DeadlinePassed => "deadline_passed",
            Self::StaleEpoch => "stale_epoch",
        }
    }
}

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum AttemptOutcome {
    /// With a result, as JSON.
    Succeeded {
        /// The result.
        result: Arc<str>,
    },
    /// By itself, without a result.
    Failed {
        /// In which way.
        kind: FailureKind,
        /// What there is to say, such as the end of its standard error.
        message: Arc<str>,
    },
    /// By the forager, because it was cancelled.
    Cancelled {
        /// Whether it had started.
        started: bool,
    },
    /// With its forager's process, lease or machine: it runs no more, but nobody knows how far it came.
    Interrupted,
}

/// In which way an attempt failed by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The program ended with an exit code that says failure.
    Exit,
    /// The program ended with 75: worth a retry.
    Temporary,
    /// The target refused the fence (exit code 76).
    Fenced,
    /// The program was ended by a signal that was not ours.
    Signal,
    /// The program could not be started.
    NotStarted,
    /// What it printed is no result.
    BadResult,
    /// What it printed is larger than a result may be.
    ResultTooLarge,
}
