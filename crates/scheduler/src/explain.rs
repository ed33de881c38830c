//! Why an instance is where it is, and what would change it: a pure function of state and liveness.

use std::fmt;

use antfarm_model::{Elapsed, Name, WallTime};

use crate::decide::{Liveness, Now};
use crate::forager::{Forager, ForagerState};
use crate::graph_record::{GraphPhase, GraphRecord};
use crate::instance::{Instance, InstanceState};
use crate::instances::InstanceId;
use crate::shape::dependencies_of;
use crate::state::State;

/// References that are listed.
const MAX_LISTED: usize = 8;

/// How far the place in the queue is counted.
const MAX_PLACE: usize = 10_000;

/// The one reason why an instance is where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Explanation {
    /// Nodes that it waits for have not succeeded: the first of them, and how many there are.
    WaitsFor(Vec<String>, usize),
    /// Its time has not come.
    NotBefore(WallTime),
    /// A back-off after a failure or a rejection.
    HeldBack {
        /// The end of it.
        until: Elapsed,
        /// By the cluster's counter.
        now: Elapsed,
        /// Failures so far.
        failures: u32,
    },
    /// Its graph is paused.
    Paused,
    /// No forager has the tool.
    NoForagerWithTool(Name),
    /// The forager that it is pinned to cannot take it.
    PinNotMet(Name, &'static str),
    /// Every forager with the tool is full or takes no work: how many there are.
    NoFreeSlot(Name, usize),
    /// Others of its class stand before it: how many.
    InQueue(usize),
    /// It is about to be assigned.
    AboutToBeAssigned,
    /// A forager was told to run it.
    Assigned(Name),
    /// A forager runs it.
    Runs(Name),
    /// Its forager is not heard.
    ForagerSilent(Name),
    /// It is over; what there is to say about it.
    Over(InstanceState, String),
    /// Somebody must decide.
    NeedsDecision(String, u64),
}

/// Explains an instance; `None` if there is no such instance.
pub fn explain(state: &State, liveness: &Liveness, now: Now, id: InstanceId) -> Option<Explanation> {
    let (graph, instance) = state.instance(id)?;
    let text = || instance.text.as_deref().unwrap_or_default().to_owned();
    Some(match graph.state_of(instance) {
        InstanceState::Waiting => explain_waiting(graph, instance, id, now),
        InstanceState::Ready => explain_ready(state, graph, liveness, id),
        InstanceState::Assigned => explain_open(state, liveness, instance, Explanation::Assigned),
        InstanceState::Running => explain_open(state, liveness, instance, Explanation::Runs),
        InstanceState::NeedsDecision => {
            Explanation::NeedsDecision(text(), instance.closed.last().map_or(0, |last| last.fence.0))
        }
        over @ (InstanceState::Failed | InstanceState::Expired) => Explanation::Over(over, text()),
        over @ (InstanceState::Succeeded | InstanceState::Cancelled | InstanceState::Skipped) => {
            Explanation::Over(over, String::new())
        }
    })
}

fn explain_waiting(graph: &GraphRecord, instance: &Instance, id: InstanceId, now: Now) -> Explanation {
    let Some(node) = graph.shape().node(id.node) else { return Explanation::Paused };
    let unresolved: Vec<String> = dependencies_of(node)
        .into_keys()
        .filter(|of| match of.index {
            Some(index) => graph.instance(of.node, index).is_none_or(|one| one.state != InstanceState::Succeeded),
            None => graph.progress(of.node).is_none_or(|progress| progress.unsettled > 0),
        })
        .map(|of| {
            let name = graph.shape().node(of.node).map_or("?", |node| node.id.as_str());
            of.index.map_or_else(|| name.to_owned(), |index| format!("{name}[{index}]"))
        })
        .collect();
    if !unresolved.is_empty() {
        let count = unresolved.len();
        return Explanation::WaitsFor(unresolved.into_iter().take(MAX_LISTED).collect(), count);
    }
    if graph.phase == GraphPhase::Paused {
        return Explanation::Paused;
    }
    match (instance.held_until, node.not_before) {
        (Some(until), _) => Explanation::HeldBack { until, now: now.elapsed, failures: instance.failures },
        (None, Some(moment)) => Explanation::NotBefore(moment),
        (None, None) => Explanation::AboutToBeAssigned,
    }
}

fn explain_ready(state: &State, graph: &GraphRecord, liveness: &Liveness, id: InstanceId) -> Explanation {
    let shape = graph.shape();
    let tool = shape.tool(id.node);
    let name = state.tool_name(tool.tool).cloned();
    let (Some(node), Some(name)) = (shape.node(id.node), name) else { return Explanation::AboutToBeAssigned };
    if let Some(pin) = &node.pin {
        let why = match state.forager_named(pin.as_str()) {
            None => "no forager of that name has registered",
            Some(forager) if !forager.tools.contains(&tool.tool) => "it does not have the tool",
            Some(forager) if !is_heard(forager, liveness) => "it is not connected",
            Some(forager) if forager.state() != ForagerState::Ready => "it takes no work now",
            Some(forager) if forager.free(tool.class, &[0; 3]) == 0 => "it has no free slot",
            Some(_) => return Explanation::AboutToBeAssigned,
        };
        return Explanation::PinNotMet(pin.clone(), why);
    }
    let with_tool = state.foragers().filter(|forager| !forager.lost && forager.tools.contains(&tool.tool)).count();
    if with_tool == 0 {
        return Explanation::NoForagerWithTool(name);
    }
    let has_slot = |forager: &Forager| {
        forager.tools.contains(&tool.tool)
            && forager.state() == ForagerState::Ready
            && is_heard(forager, liveness)
            && forager.free(tool.class, &[0; 3]) > 0
    };
    if !state.foragers().any(has_slot) {
        let before = state.index.ready.place(shape, id, MAX_PLACE);
        return if before > 0 { Explanation::InQueue(before) } else { Explanation::NoFreeSlot(name, with_tool) };
    }
    Explanation::AboutToBeAssigned
}

fn explain_open(state: &State, liveness: &Liveness, instance: &Instance, with: fn(Name) -> Explanation) -> Explanation {
    let forager = instance.open.last().and_then(|open| state.forager(open.forager));
    match forager {
        Some(forager) if is_heard(forager, liveness) => with(forager.name.clone()),
        Some(forager) => Explanation::ForagerSilent(forager.name.clone()),
        None => Explanation::AboutToBeAssigned,
    }
}

fn is_heard(forager: &Forager, liveness: &Liveness) -> bool {
    liveness
        .contacts
        .get(&forager.no)
        .is_some_and(|contact| contact.incarnation == forager.incarnation && contact.broken_at.is_none())
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WaitsFor(names, count) => {
                write!(f, "waits until {} succeeded", names.join(", "))?;
                if *count > names.len() { write!(f, " (and {} more)", count - names.len()) } else { Ok(()) }
            }
            Self::NotBefore(moment) => write!(f, "must not start before {} (ms since 1970)", moment.0),
            Self::HeldBack { until, now, failures } => {
                let left = until.since(*now);
                write!(f, "held back for {left} after {failures} failure(s); it is tried again by itself")
            }
            Self::Paused => f.write_str("its graph is paused: `antfarm graph resume` lets it go on"),
            Self::NoForagerWithTool(tool) => {
                write!(
                    f,
                    "no forager has the tool {tool}: add it to a forager's configuration, or start one that has it"
                )
            }
            Self::PinNotMet(pin, why) => write!(f, "pinned to the forager {pin}: {why}"),
            Self::NoFreeSlot(tool, count) => {
                write!(f, "next in its queue: all {count} forager(s) with the tool {tool} are full or take no work")
            }
            Self::InQueue(before) => {
                write!(f, "{before} instance(s) of its cost class stand before it, and no slot is free")
            }
            Self::AboutToBeAssigned => f.write_str("about to be assigned"),
            Self::Assigned(forager) => {
                write!(f, "the forager {forager} was told to run it and has not said yet that it does")
            }
            Self::Runs(forager) => write!(f, "the forager {forager} runs it"),
            Self::ForagerSilent(forager) => {
                write!(f, "its forager {forager} is not heard: it goes on when that one is back, or its lease is over")
            }
            Self::Over(state, text) if text.is_empty() => write!(f, "{state}"),
            Self::Over(state, text) => write!(f, "{state}: {text}"),
            Self::NeedsDecision(text, fence) => {
                write!(f, "{text}: decide with `antfarm node decide … retry|succeed|fail --fence {fence}`")
            }
        }
    }
}
