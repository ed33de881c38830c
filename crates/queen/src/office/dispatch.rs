//! Dispatch: compares what the state says that a forager should run with what that forager holds, and sends the
//! difference. Level-triggered: a lost message, a new leader or a restarted process needs no code of its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use antfarm_model::{Elapsed, Epoch, ForagerNo, GraphNo, Incarnation, NodeNo};
use antfarm_protocol::{Assign, Cancel, JsonText, QueenMessage, Work};
use antfarm_scheduler::{
    AttemptId, AttemptOutcome, Command, FailureKind, Forager, GraphRecord, InstanceState, Now, State,
};

use super::convert;
use super::leadership::{Active, Leadership};
use super::proposals::{Item, Whom};
use super::session::Session;
use crate::sessions::SessionId;

/// An attempt that a forager holds, as far as it said or was told.
#[derive(Debug, Clone, Copy)]
pub(super) struct Held {
    sent_at: Elapsed,
    /// The forager said that it runs it.
    pub(super) acknowledged: bool,
    /// The forager said that it is over.
    pub(super) ended: bool,
    /// When it was cancelled last; told again if that is long ago.
    cancelled_at: Option<Elapsed>,
}

impl Held {
    fn sent(now: Elapsed) -> Self {
        Self { sent_at: now, acknowledged: false, ended: false, cancelled_at: None }
    }

    pub(super) fn acknowledged(now: Elapsed) -> Self {
        Self { acknowledged: true, ..Self::sent(now) }
    }

    pub(super) fn ended(now: Elapsed) -> Self {
        Self { ended: true, ..Self::acknowledged(now) }
    }
}

impl Leadership {
    /// Sends every forager whose work changed what it has not been told.
    pub(super) fn dispatch(&mut self, sessions: &mut BTreeMap<SessionId, Session>) {
        for (id, message) in std::mem::take(&mut self.unsaid) {
            if let Some(session) = sessions.get_mut(&id) {
                session.queue(message);
            }
        }
        let (now, epoch) = (self.clock.now(), self.epoch);
        let again = std::mem::take(&mut self.look_again);
        let mut unusable = Vec::new();
        let mut assigned = Vec::new();
        let replica = self.shared.replica.clone();
        replica.read(|state| {
            let changed = state.foragers_changed_since(self.dispatched);
            let all: BTreeMap<ForagerNo, &Forager> = changed
                .chain(again.iter().filter_map(|forager| state.forager(*forager)))
                .map(|forager| (forager.no, forager))
                .collect();
            for (no, forager) in all {
                let Some(active) = self.active.get_mut(&no) else { continue };
                let Some(session) = sessions.get_mut(&active.session) else { continue };
                if self.in_flight.touches_forager(no) {
                    self.look_again.push(no); // neither work nor anything else until the judgement is applied
                } else if active.incarnation == forager.incarnation {
                    let mut difference = Difference {
                        state,
                        now,
                        epoch,
                        session,
                        unusable: &mut unusable,
                        assigned: &mut assigned,
                        rendered: None,
                    };
                    difference.send(forager, active);
                }
            }
            self.dispatched = state.applied().index;
        });
        self.measure(&assigned);
        for (forager, attempt, message) in unusable {
            let outcome = AttemptOutcome::Failed { kind: FailureKind::NotStarted, message };
            let commands = vec![Command::End { forager, attempts: attempt.into(), outcome }];
            self.proposals.queue(Item { commands, whom: Whom::Nobody });
        }
    }

    /// Forgets what was sent long ago to a forager that talks, and had no effect, so that it is sent again.
    pub(super) fn resend_unacknowledged(&mut self) {
        let now = self.clock.now().elapsed;
        let timeout = self.shared.config.scheduler.assign_timeout;
        for (forager, active) in &mut self.active {
            let before = active.held.len();
            active.held.retain(|_, held| held.acknowledged || held.ended || held.sent_at.plus(timeout) > now);
            let mut again = active.held.len() < before;
            for held in active.held.values_mut().filter(|held| !held.ended) {
                again |= held.cancelled_at.take_if(|at| at.plus(timeout) <= now).is_some();
            }
            if again {
                self.look_again.push(*forager);
            }
        }
    }

    /// Has the next dispatch look at a forager, whether its work changed or not.
    pub(super) fn look_again(&mut self, forager: ForagerNo) {
        self.look_again.push(forager);
    }

    fn measure(&mut self, assigned: &[AttemptId]) {
        let now = self.clock.monotonic();
        for id in assigned {
            if let Some(ready_at) = self.ready_at.remove(&id.instance) {
                self.shared.metrics.assign_latency(now.saturating_sub(ready_at));
            }
        }
    }
}

/// What is to be done at a node, its arguments rendered.
type Rendered = ((GraphNo, NodeNo), Arc<Work>);

/// What one forager has not been told.
struct Difference<'a> {
    state: &'a State,
    now: Now,
    epoch: Epoch,
    session: &'a mut Session,
    unusable: &'a mut Vec<(ForagerNo, AttemptId, Arc<str>)>,
    assigned: &'a mut Vec<AttemptId>,
    /// What was rendered last: all instances of a node have the same.
    rendered: Option<Rendered>,
}

impl Difference<'_> {
    fn send(&mut self, forager: &Forager, active: &mut Active) {
        let incarnation = forager.incarnation;
        for (id, attempt) in forager.attempts() {
            match (active.held.get_mut(id), attempt.cancel) {
                (None, None) => self.assign(forager, *id, active),
                (Some(held), Some(reason)) if held.cancelled_at.is_none() && !held.ended => {
                    held.cancelled_at = Some(self.now.elapsed);
                    self.cancel(incarnation, *id, convert::cancel_reason(reason));
                }
                (None, Some(reason)) => {
                    let held = Held { cancelled_at: Some(self.now.elapsed), ..Held::acknowledged(self.now.elapsed) };
                    active.held.insert(*id, held);
                    self.cancel(incarnation, *id, convert::cancel_reason(reason));
                }
                (Some(_), _) => {}
            }
        }
        let unknown: Vec<AttemptId> = active
            .held
            .iter()
            .filter(|(id, held)| !held.ended && held.cancelled_at.is_none() && forager.attempt(id).is_none())
            .filter(|(id, _)| !is_awaited(self.state, id))
            .map(|(id, _)| *id)
            .collect();
        for id in unknown {
            if let Some(held) = active.held.get_mut(&id) {
                held.cancelled_at = Some(self.now.elapsed);
            }
            self.cancel(incarnation, id, antfarm_protocol::CancelReason::Unknown);
        }
    }

    fn cancel(&mut self, incarnation: Incarnation, id: AttemptId, reason: antfarm_protocol::CancelReason) {
        let attempt = convert::attempt_ref(id);
        self.session.queue(Cancel { epoch: self.epoch, incarnation, attempt, reason });
    }

    fn assign(&mut self, forager: &Forager, id: AttemptId, active: &mut Active) {
        match assignment(self.state, self.now, self.epoch, &mut self.rendered, forager.incarnation, id) {
            Ok(Some(message)) => {
                self.session.queue(message);
                self.assigned.push(id);
                active.held.insert(id, Held::sent(self.now.elapsed));
            }
            Ok(None) => {}
            Err(why) => self.unusable.push((forager.no, id, why)),
        }
    }
}

/// The message that has a forager run an attempt; nothing if it is too late for that, and why not if it cannot be made.
pub(super) fn assignment(
    state: &State,
    now: Now,
    epoch: Epoch,
    rendered: &mut Option<Rendered>,
    incarnation: Incarnation,
    id: AttemptId,
) -> Result<Option<QueenMessage>, Arc<str>> {
    let Some((graph, instance)) = state.instance(id.instance) else { return Ok(None) };
    let shape = graph.shape();
    let Some(node) = shape.node(id.instance.node) else { return Ok(None) };
    if node.deadline.is_some_and(|deadline| deadline <= now.wall) {
        return Ok(None); // it is about to expire, which is told to the forager then
    }
    let work = match rendered {
        Some((of, work)) if *of == (graph.no, id.instance.node) => Arc::clone(work),
        Some(_) | None => {
            let Some(work) = work(state, graph, id.instance.node)? else { return Ok(None) };
            Arc::clone(&rendered.insert(((graph.no, id.instance.node), Arc::new(work))).1)
        }
    };
    let remaining = |deadline: antfarm_model::WallTime| deadline.0.saturating_sub(now.wall.0);
    Ok(Some(QueenMessage::Assign(Assign {
        epoch,
        incarnation,
        attempt: convert::attempt_ref(id),
        attempt_number: instance.attempts,
        deadline_ms: node.deadline.map(remaining),
        work,
    })))
}

/// What is to be done at a node that is there; why not if its arguments cannot be made.
fn work(state: &State, graph: &GraphRecord, no: NodeNo) -> Result<Option<Work>, Arc<str>> {
    let shape = graph.shape();
    let (tool, node) = (shape.tool(no), shape.node(no));
    let (Some(name), Some(node)) = (state.tool_name(tool.tool), node) else { return Ok(None) };
    let args = graph.arguments(no).map_err(|error| Arc::from(error.to_string()))?;
    Ok(Some(Work {
        graph_id: shape.graph().id.clone(),
        node_id: node.name(),
        array: node.array.is_some(),
        tool: name.clone(),
        effects: tool.effects,
        class: tool.class,
        args: JsonText::new(args).map_err(|error| Arc::from(error.to_string()))?,
        timeout_ms: shape.timeout(no).0,
    }))
}

/// Whether a closed attempt's own end would still be taken, since nobody has decided yet what became of it.
pub(super) fn is_awaited(state: &State, id: &AttemptId) -> bool {
    state.instance(id.instance).is_some_and(|(_, instance)| {
        instance.state == InstanceState::NeedsDecision
            && instance.closed.last().is_some_and(|last| last.fence == id.fence)
    })
}
