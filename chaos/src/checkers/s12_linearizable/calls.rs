//! Operations on one graph, as both checks look at them: what was asked, what was said, and when.

use std::collections::BTreeMap;
use std::fmt;

use crate::history::{Call, Evidence, GraphShown, Op, Outcome};

const CREATED: u16 = 201;
const NOT_FOUND: u16 = 404;
const CONFLICT: u16 = 409;

/// All operations of a history on graphs.
pub(super) struct Calls<'a> {
    /// In the order in which they were invoked.
    pub(super) by_graph: BTreeMap<&'a str, Vec<Made<'a>>>,
}

/// An operation on a graph.
#[derive(Debug, Clone)]
pub(super) struct Made<'a> {
    pub(super) op: &'a Op,
    pub(super) asked: Asked,
    pub(super) said: Said<'a>,
    pub(super) invoked: usize,
    /// Never, for one whose outcome is unknown: it may take effect any time.
    pub(super) returned: usize,
    /// The highest index of any answer that was there when it was invoked.
    pub(super) known: u64,
}

impl fmt::Display for Made<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { op, invoked, returned, known, .. } = self;
        write!(f, "at {invoked} {} asked queen-{} to {}, knowing {known}", op.client, op.queen, op.call)?;
        match self.said {
            Said::Shown { graph: GraphShown { state, finished, .. }, index, new } => {
                write!(f, "; at {returned} it was {state} (finished: {finished}, new: {new}) at index {index}")
            }
            Said::NotFound => write!(f, "; at {returned} there was none"),
            Said::Conflict => write!(f, "; at {returned} it was refused"),
            Said::Nothing { may_count } => write!(f, "; nobody knows what came of it (perhaps something: {may_count})"),
        }
    }
}

/// What was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// To submit the graph that everybody submits under this id.
    Submit,
    /// To submit another one.
    SubmitOther,
    Cancel,
    Read,
    /// To read what one queen has, however old.
    ReadStale,
}

/// What was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said<'a> {
    /// This is how the graph stands at that index; whether a submission has just made it.
    Shown { graph: &'a GraphShown, index: u64, new: bool },
    /// There is none.
    NotFound,
    /// It stands against what is there: another graph, or one that has ended.
    Conflict,
    /// Nothing that tells anything, or nothing at all; whether it may have taken effect.
    Nothing { may_count: bool },
}

pub(super) fn of(evidence: &Evidence) -> Calls<'_> {
    let mut returns: Vec<(usize, u64)> =
        evidence.succeeded().map(|success| (success.returned, success.index)).collect();
    returns.sort_unstable();
    let (mut returns, mut known) = (returns.into_iter().peekable(), 0);
    let mut by_graph: BTreeMap<&str, Vec<Made<'_>>> = BTreeMap::new();
    for op in &evidence.ops {
        while let Some((_, index)) = returns.next_if(|(place, _)| *place < op.invoked) {
            known = index.max(known);
        }
        let (graph, asked) = match &op.call {
            Call::Submit { graph } => (graph.id.as_str(), Asked::Submit),
            Call::Conflict { graph } => (graph.as_str(), Asked::SubmitOther),
            Call::Cancel { graph } => (graph.as_str(), Asked::Cancel),
            Call::Read { graph, stale: false } => (graph.as_str(), Asked::Read),
            Call::Read { graph, stale: true } => (graph.as_str(), Asked::ReadStale),
            Call::Decide { .. } => continue, // about a node; what becomes of the graph is its own affair
        };
        let said = said(op, matches!(asked, Asked::Submit | Asked::SubmitOther));
        let open = matches!(said, Said::Nothing { may_count: true });
        let returned = op.returned.as_ref().map(|(place, _)| *place).filter(|_| !open).unwrap_or(usize::MAX);
        let made = Made { op, asked, said, invoked: op.invoked, returned, known };
        by_graph.entry(graph).or_default().push(made);
    }
    Calls { by_graph }
}

fn said(op: &Op, submits: bool) -> Said<'_> {
    match &op.returned {
        Some((_, Outcome::Ok { status, index, graph: Some(graph), .. })) => {
            Said::Shown { graph, index: *index, new: submits && *status == CREATED }
        }
        Some((_, Outcome::Fail { status: NOT_FOUND })) => Said::NotFound,
        Some((_, Outcome::Fail { status: CONFLICT })) => Said::Conflict,
        Some((_, Outcome::Fail { .. })) => Said::Nothing { may_count: false },
        Some((_, Outcome::Ok { graph: None, .. } | Outcome::Unknown)) | None => Said::Nothing { may_count: true },
    }
}
