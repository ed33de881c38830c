//! The reasons that there are.

use antfarm_model::{CostClass, EffectClass, Fence, Name, Span, WallTime};

use crate::command::RejectReason;
use crate::forager::CancelReason;
use crate::instance::InstanceState;

/// Why an instance is where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// Nodes that it waits for have not succeeded: the first of them, and how many there are.
    WaitsFor {
        /// The first.
        first: Vec<String>,
        /// All.
        count: usize,
    },
    /// Its time has not come.
    NotBefore(WallTime),
    /// A back-off after a failure.
    HeldBack {
        /// How long it lasts.
        left: Span,
        /// Attempts that failed by themselves.
        failures: u32,
        /// Attempts that may be made.
        tries: u32,
    },
    /// Its graph is paused.
    Paused,
    /// Its deadline has passed, and is about to be noted.
    DeadlinePassed,
    /// No forager has the tool.
    NoForagerWithTool {
        /// The tool.
        tool: Name,
        /// The first foragers that had it and are lost.
        lost: Vec<Name>,
    },
    /// The forager that it is pinned to cannot take it.
    PinNotMet {
        /// The forager.
        forager: Name,
        /// What stands in the way.
        obstacle: Obstacle,
    },
    /// None of the foragers with the tool takes it, and none of them only because it is full.
    NoForagerAvailable {
        /// The tool.
        tool: Name,
        /// What stands in the way at the first of them.
        obstacles: Vec<(Name, Obstacle)>,
        /// How many have the tool.
        count: usize,
    },
    /// It is the next of its class, and every forager that would take it is full.
    NoFreeSlot {
        /// The tool.
        tool: Name,
        /// How many would take it.
        full: usize,
        /// What stands in the way at the first of the others that have the tool.
        others: Vec<(Name, Obstacle)>,
    },
    /// Others of its class stand before it, and every forager that would take it is full.
    InQueue {
        /// The class.
        class: CostClass,
        /// How many stand before it, counted up to a bound.
        before: usize,
        /// How many foragers would take it.
        full: usize,
    },
    /// It is about to be assigned.
    AboutToBeAssigned,
    /// A forager was told to run it, and has not said that it does.
    Assigned {
        /// The forager.
        forager: Name,
        /// The attempt.
        fence: Fence,
        /// How long ago.
        ago: Span,
    },
    /// A forager runs it.
    Runs {
        /// The forager.
        forager: Name,
        /// The attempt.
        fence: Fence,
        /// For how long already.
        ran_for: Span,
        /// For how long it may at most.
        left: Span,
    },
    /// A forager was told to end it, and has not said that it has.
    BeingCancelled {
        /// The forager.
        forager: Name,
        /// The attempt.
        fence: Fence,
        /// Why.
        why: CancelReason,
    },
    /// Its forager is not heard.
    ForagerSilent {
        /// The forager.
        forager: Name,
        /// How long its lease may last.
        lease_left: Span,
        /// What the loss of the forager would mean.
        effects: EffectClass,
    },
    /// Nobody knows whether it took effect; somebody must decide.
    NeedsDecision {
        /// What is known.
        why: String,
        /// The attempt.
        fence: Fence,
        /// Who ran it, if that one is remembered.
        forager: Option<Name>,
        /// Whether it is certain that the attempt runs no more.
        proven: bool,
    },
    /// It has a result.
    Succeeded {
        /// Who brought it, if that one is remembered.
        forager: Option<Name>,
        /// Who decided that it succeeded, if somebody did.
        decided_by: Option<String>,
    },
    /// It will have none.
    Failed {
        /// Why.
        why: String,
        /// Attempts that were made.
        attempts: u32,
    },
    /// Its deadline passed.
    Expired {
        /// The deadline.
        deadline: Option<WallTime>,
        /// Attempts that were made.
        attempts: u32,
    },
    /// It was cancelled, or will not start.
    Cancelled(Cause),
    /// It will not run.
    Skipped(Cause),
}

/// What made an instance end without its own doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// Somebody cancelled its graph.
    GraphCancelled,
    /// An instance of its graph failed, expired or was skipped.
    Node {
        /// What people call it.
        name: String,
        /// What became of it.
        state: InstanceState,
        /// Whether that ended the whole graph.
        ended_graph: bool,
    },
    /// It is not remembered.
    Unknown,
}

/// What keeps a forager from taking an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// No forager of that name has registered.
    Unknown,
    /// It does not have the tool.
    LacksTool,
    /// Its lease is over.
    Lost,
    /// It is not heard, and its lease is not over.
    Suspect,
    /// It does not talk to this leader.
    NotConnected,
    /// It finishes what it has.
    Draining,
    /// It rejected too much in a row.
    Quarantined {
        /// How long it gets nothing.
        left: Span,
        /// Why it rejected last.
        reason: Option<RejectReason>,
    },
    /// Everything of the tool failed there quickly.
    ToolQuarantined {
        /// How long it gets nothing of the tool.
        left: Span,
    },
    /// It would not run the node not long ago.
    BacksOff {
        /// How long it is not asked again.
        left: Span,
    },
    /// An attempt at the same instance is open there.
    HasAttempt,
    /// All its slots for the class are taken.
    Full,
}

impl Reason {
    /// The name in documents.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::WaitsFor { .. } => "waits_for",
            Self::NotBefore(_) => "not_before",
            Self::HeldBack { .. } => "held_back",
            Self::Paused => "paused",
            Self::DeadlinePassed => "deadline_passed",
            Self::NoForagerWithTool { .. } => "no_forager_with_tool",
            Self::PinNotMet { .. } => "pin_not_met",
            Self::NoForagerAvailable { .. } => "no_forager_available",
            Self::NoFreeSlot { .. } => "no_free_slot",
            Self::InQueue { .. } => "in_queue",
            Self::AboutToBeAssigned => "about_to_be_assigned",
            Self::Assigned { .. } => "assigned",
            Self::Runs { .. } => "runs",
            Self::BeingCancelled { .. } => "being_cancelled",
            Self::ForagerSilent { .. } => "forager_silent",
            Self::NeedsDecision { .. } => "needs_decision",
            Self::Succeeded { .. } => "succeeded",
            Self::Failed { .. } => "failed",
            Self::Expired { .. } => "expired",
            Self::Cancelled(_) => "cancelled",
            Self::Skipped(_) => "skipped",
        }
    }

    /// The foragers in question, with what stands in the way at each; the first of them.
    pub fn obstacles(&self) -> Vec<(&Name, Obstacle)> {
        match self {
            Self::PinNotMet { forager, obstacle } => vec![(forager, *obstacle)],
            Self::NoForagerAvailable { obstacles, .. } | Self::NoFreeSlot { others: obstacles, .. } => {
                obstacles.iter().map(|(forager, obstacle)| (forager, *obstacle)).collect()
            }
            Self::WaitsFor { .. }
            | Self::NotBefore(_)
            | Self::HeldBack { .. }
            | Self::Paused
            | Self::DeadlinePassed
            | Self::NoForagerWithTool { .. }
            | Self::InQueue { .. }
            | Self::AboutToBeAssigned
            | Self::Assigned { .. }
            | Self::Runs { .. }
            | Self::BeingCancelled { .. }
            | Self::ForagerSilent { .. }
            | Self::NeedsDecision { .. }
            | Self::Succeeded { .. }
            | Self::Failed { .. }
            | Self::Expired { .. }
            | Self::Cancelled(_)
            | Self::Skipped(_) => Vec::new(),
        }
    }
}

impl Obstacle {
    /// The name in documents.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::LacksTool => "lacks_tool",
            Self::Lost => "lost",
            Self::Suspect => "suspect",
            Self::NotConnected => "not_connected",
            Self::Draining => "draining",
            Self::Quarantined { .. } => "quarantined",
            Self::ToolQuarantined { .. } => "tool_quarantined",
            Self::BacksOff { .. } => "backs_off",
            Self::HasAttempt => "has_attempt",
            Self::Full => "full",
        }
    }

    /// How long it lasts at most, if that is known.
    pub const fn left(self) -> Option<Span> {
        match self {
            Self::Quarantined { left, .. } | Self::ToolQuarantined { left } | Self::BacksOff { left } => Some(left),
            Self::Unknown
            | Self::LacksTool
            | Self::Lost
            | Self::Suspect
            | Self::NotConnected
            | Self::Draining
            | Self::HasAttempt
            | Self::Full => None,
        }
    }
}
