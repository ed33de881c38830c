//! Why an instance is where it is, and what would change it: a pure function of state and liveness.

mod over;
mod placement;
mod reason;
mod text;
mod words;

use antfarm_model::{Elapsed, Span, WallTime};

pub use reason::{Cause, Obstacle, Reason};

use crate::decide::{Liveness, Now, Policy};
use crate::forager::Forager;
use crate::graph_record::{GraphPhase, GraphRecord};
use crate::instance::{Instance, InstanceState};
use crate::instances::InstanceId;
use crate::state::State;

/// References, and foragers, that are listed.
const MAX_LISTED: usize = 8;

/// The one reason why an instance is where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// What people call the instance: `nightly/clean`, `nightly/fan[3]`.
    pub path: String,
    /// The reason.
    pub reason: Reason,
    /// When the instance expires, if it has a deadline and that still counts.
    pub deadline: Option<WallTime>,
}

/// Explains an instance; `None` if there is no such instance. O(foragers), and the instances of the class before it up to
/// a bound.
pub fn explain(state: &State, liveness: &Liveness, policy: &Policy, now: Now, id: InstanceId) -> Option<Explanation> {
    let (graph, instance) = state.instance(id)?;
    let view = View { state, liveness, policy, now, graph, instance, id };
    let shown = graph.state_of(instance);
    let may_expire = !shown.is_final() && shown != InstanceState::NeedsDecision;
    let deadline = graph.shape().node(id.node)?.deadline.filter(|_| may_expire);
    let reason = match shown {
        InstanceState::Waiting => view.waiting(),
        InstanceState::Ready => view.ready(),
        InstanceState::Assigned | InstanceState::Running => view.open(),
        InstanceState::NeedsDecision => view.needs_decision(),
        over @ (InstanceState::Succeeded
        | InstanceState::Failed
        | InstanceState::Expired
        | InstanceState::Cancelled
        | InstanceState::Skipped) => view.over(over),
    };
    let overdue = deadline.is_some_and(|deadline| deadline <= now.wall);
    let unstarted = matches!(shown, InstanceState::Waiting | InstanceState::Ready);
    let reason = if overdue && unstarted { Reason::DeadlinePassed } else { reason };
    Some(Explanation { path: format!("{}/{}", graph.shape().graph().id, view.name(id)), reason, deadline })
}

/// One instance, and everything that its place may follow from.
struct View<'a> {
    state: &'a State,
    liveness: &'a Liveness,
    policy: &'a Policy,
    now: Now,
    graph: &'a GraphRecord,
    instance: &'a Instance,
    id: InstanceId,
}

impl View<'_> {
    fn waiting(&self) -> Reason {
        let unresolved = self.unresolved();
        if !unresolved.is_empty() {
            let count = unresolved.len();
            return Reason::WaitsFor { first: unresolved.into_iter().take(MAX_LISTED).collect(), count };
        }
        if self.graph.phase == GraphPhase::Paused {
            return Reason::Paused;
        }
        let shape = self.graph.shape();
        let not_before = shape.node(self.id.node).and_then(|node| node.not_before);
        match (self.instance.held_until, not_before) {
            (Some(until), _) => Reason::HeldBack {
                left: until.since(self.now.elapsed),
                failures: self.instance.failures,
                tries: shape.retries(self.id.node).saturating_add(1),
            },
            (None, Some(moment)) => Reason::NotBefore(moment),
            (None, None) => Reason::AboutToBeAssigned,
        }
    }

    /// What the instance needs and does not have.
    fn unresolved(&self) -> Vec<String> {
        let Some(node) = self.graph.shape().node(self.id.node) else { return Vec::new() };
        let settled = |node, index| {
            let states = [InstanceState::Succeeded, InstanceState::Expired]; // it expired, and the graph continues
            self.graph.instance(node, index).is_some_and(|one| states.contains(&one.state))
        };
        let wanted = node.dependencies().into_keys().filter(|of| match of.index {
            Some(index) => !settled(of.node, index),
            None => self.graph.progress(of.node).is_none_or(|progress| progress.unsettled > 0),
        });
        wanted
            .map(|of| match of.index {
                Some(index) => self.name(InstanceId { graph: self.id.graph, node: of.node, index }),
                None => self.graph.shape().node(of.node).map_or_else(String::new, |node| node.id.to_string()),
            })
            .collect()
    }

    /// An attempt is open: what its forager does.
    fn open(&self) -> Reason {
        let newest = self.instance.open.last().and_then(|open| Some((open.fence, self.state.forager(open.forager)?)));
        let Some((fence, forager)) = newest else { return Reason::AboutToBeAssigned };
        let id = crate::instances::AttemptId { instance: self.id, fence };
        let Some(attempt) = forager.attempt(&id) else { return Reason::AboutToBeAssigned };
        let name = forager.name.clone();
        let tool = self.graph.shape().tool(self.id.node);
        if !self.hears(forager) {
            return Reason::ForagerSilent {
                forager: name,
                lease_left: self.lease_left(forager),
                effects: tool.effects,
            };
        }
        match (attempt.cancel, attempt.started_at) {
            (Some(why), _) => Reason::BeingCancelled { forager: name, fence, why },
            (None, None) => Reason::Assigned { forager: name, fence, ago: self.ago(attempt.assigned_at) },
            (None, Some(started_at)) => {
                let ends = started_at.plus(self.graph.shape().timeout(self.id.node));
                let (ran_for, left) = (self.ago(started_at), ends.since(self.now.elapsed));
                Reason::Runs { forager: name, fence, ran_for, left }
            }
        }
    }

    fn needs_decision(&self) -> Reason {
        let last = self.instance.closed.last();
        Reason::NeedsDecision {
            why: self.text(),
            fence: last.map(|last| last.fence).unwrap_or_default(),
            forager: last.and_then(|last| self.state.forager(last.forager)).map(|forager| forager.name.clone()),
            proven: last.is_some_and(|last| last.ending.is_proven()),
        }
    }

    /// For how long a forager that is not heard may still hold a lease, as far as this leader knows.
    fn lease_left(&self, forager: &Forager) -> Span {
        let over_at = self.liveness.heard_at(forager).plus(self.policy.lease().patience());
        over_at.since(self.now.elapsed)
    }

    fn hears(&self, forager: &Forager) -> bool {
        self.liveness.contact(forager).is_some_and(|contact| contact.broken_at.is_none())
    }

    fn ago(&self, moment: Elapsed) -> Span {
        self.now.elapsed.since(moment)
    }

    fn text(&self) -> String {
        self.instance.text.as_deref().unwrap_or_default().to_owned()
    }

    /// What people call an instance within its graph.
    fn name(&self, id: InstanceId) -> String {
        let Some(node) = self.graph.shape().node(id.node) else { return String::new() };
        if node.array.is_some() { format!("{}[{}]", node.id, id.index) } else { node.id.to_string() }
    }
}
