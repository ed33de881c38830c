//! One entry on its way through the state: access to records, and the moves that keep them and the indexes in step.

use std::collections::BTreeSet;
use std::sync::Arc;

use antfarm_model::{Elapsed, Fence, ForagerNo, GraphNo, Incarnation, WallTime};
use antfarm_planted::{Bug, noise, planted};

use crate::draft::Drafts;
use crate::event::Event;
use crate::forager::{Attempt, CancelReason, Forager};
use crate::graph_record::GraphRecord;
use crate::index::Timer;
use crate::instance::{AttemptTimes, ClosedAttempt, Ending, Instance, InstanceState, OpenAttempt};
use crate::instances::{AttemptId, InstanceId, Instances};
use crate::outcome::Refusal;
use crate::shape::Shape;
use crate::state::State;

/// One entry being applied.
pub(super) struct Step<'a> {
    pub(super) state: &'a mut State,
    pub(super) drafts: &'a mut Drafts,
    events: Vec<Event>,
    /// Foragers whose indexes are brought up to date at the end.
    changed: BTreeSet<ForagerNo>,
}

impl<'a> Step<'a> {
    pub(super) fn new(state: &'a mut State, drafts: &'a mut Drafts) -> Self {
        Self { state, drafts, events: Vec::new(), changed: BTreeSet::new() }
    }

    /// Brings the indexes of foragers up to date, which only decisions and dispatch look at.
    pub(super) fn finish(self) -> Vec<Event> {
        let State { core, index, .. } = self.state;
        for forager in self.changed.iter().filter_map(|forager| core.foragers.get(forager)) {
            index.free.refresh(forager);
            index.changed.touch(forager.no, core.applied.index);
        }
        self.events
    }

    pub(super) fn wall(&self) -> WallTime {
        self.state.core.wall
    }

    pub(super) fn elapsed(&self) -> Elapsed {
        self.state.core.elapsed
    }

    /// The fence of every attempt that this entry opens.
    pub(super) fn fence(&self) -> Fence {
        self.state.fence(self.state.core.applied.index)
    }

    /// Adds an event, joined to the last one where that says the same of the instances before.
    pub(super) fn tell(&mut self, event: Event) {
        if let (
            Some(Event::Instances { instances: last, from: last_from, state: last_state, attempt: last_attempt }),
            Event::Instances { instances, from, state, attempt },
        ) = (self.events.last_mut(), &event)
        {
            let follows = (last.graph, last.node) == (instances.graph, instances.node)
                && last.start.checked_add(last.len) == Some(instances.start);
            if follows && (&*last_from, &*last_state, &*last_attempt) == (from, state, attempt) {
                last.len += instances.len;
                return;
            }
        }
        self.events.push(event);
    }

    // Graphs.

    pub(super) fn graph(&self, graph: GraphNo) -> Result<&GraphRecord, Refusal> {
        self.state.graph(graph).ok_or(Refusal::UnknownGraph)
    }

    pub(super) fn graph_mut(&mut self, graph: GraphNo) -> Option<&mut GraphRecord> {
        self.state.core.graphs.get_mut(&graph).map(Arc::make_mut)
    }

    /// The immutable part of a graph, to be looked at while the rest changes.
    pub(super) fn shape(&self, graph: GraphNo) -> Option<Arc<Shape>> {
        self.state.core.graphs.get(&graph).map(|graph| Arc::clone(&graph.shape))
    }

    pub(super) fn instance(&self, id: InstanceId) -> Option<&Instance> {
        self.state.graph(id.graph)?.instance(id.node, id.index)
    }

    pub(super) fn instance_mut(&mut self, id: InstanceId) -> Option<&mut Instance> {
        self.graph_mut(id.graph)?.instance_mut(id)
    }

    /// Moves an instance to another state: record, counts, ready queue and event.
    pub(super) fn set(&mut self, id: InstanceId, next: InstanceState, attempt: Option<(ForagerNo, Fence)>) {
        let State { core, index, .. } = &mut *self.state;
        let Some(graph) = core.graphs.get_mut(&id.graph).map(Arc::make_mut) else { return };
        let Some(instance) = graph.instance_mut(id) else { return };
        let before = instance.state;
        if before == next {
            return;
        }
        assert!(before.may_become(next), "{id}: {before} must not become {next}");
        instance.state = next;
        if next != InstanceState::Waiting && instance.held_until.is_some() {
            instance.story_mut().held_until = None;
        }
        graph.counts.shift(before, next);
        if before == InstanceState::Ready {
            index.ready.take(&graph.shape, id);
        }
        if next == InstanceState::Ready {
            index.ready.add(&graph.shape, Instances::one(id));
        }
        self.tell(Event::Instances { instances: Instances::one(id), from: before, state: next, attempt });
    }

    /// Moves waiting instances to another state at once, if nothing has happened to any of them; tells whether it did.
    /// O(chunks).
    pub(super) fn set_untouched(&mut self, instances: Instances, next: InstanceState) -> bool {
        let State { core, index, .. } = &mut *self.state;
        let Some(graph) = core.graphs.get_mut(&instances.graph).map(Arc::make_mut) else { return false };
        let Some(positions) = graph.shape.positions(&instances) else { return false };
        let from = InstanceState::Waiting;
        if !graph.instances.replace(positions, &Instance::new(from), &Instance::new(next)) {
            return false;
        }
        graph.counts.shift_many(from, next, instances.len);
        if next == InstanceState::Ready {
            index.ready.add(&graph.shape, instances);
        }
        self.tell(Event::Instances { instances, from, state: next, attempt: None });
        true
    }

    // Foragers.

    pub(super) fn forager(&self, forager: ForagerNo) -> Result<&Forager, Refusal> {
        self.state.forager(forager).ok_or(Refusal::UnknownForager)
    }

    /// The forager, if this incarnation is the one that counts.
    pub(super) fn incarnation(&self, forager: ForagerNo, incarnation: Incarnation) -> Result<&Forager, Refusal> {
        let record = self.forager(forager)?;
        if record.incarnation == incarnation { Ok(record) } else { Err(Refusal::StaleIncarnation) }
    }

    /// Changes a forager.
    pub(super) fn change_forager<T>(
        &mut self,
        forager: ForagerNo,
        change: impl FnOnce(&mut Forager) -> T,
    ) -> Option<T> {
        let record = Arc::make_mut(self.state.core.foragers.get_mut(&forager)?);
        let state = record.state();
        let result = change(record);
        let now = record.state();
        self.changed.insert(forager);
        if now != state {
            self.tell(Event::Forager { forager, state: now });
        }
        Some(result)
    }

    // Attempts.

    /// Opens an attempt whose conditions have been checked.
    pub(super) fn open(&mut self, id: AttemptId, forager: ForagerNo, class: usize) {
        let assigned_at = self.elapsed();
        let epoch = self.state.epoch(self.state.core.applied.term);
        let times = AttemptTimes { assigned_at: self.wall(), started_at: None };
        if let Some(instance) = self.instance_mut(id.instance) {
            let story = instance.story_mut();
            story.open.reserve_exact(1);
            story.open.push(OpenAttempt { fence: id.fence, forager });
            story.attempts += 1;
        }
        self.state.index.holding.open(id.instance.graph, forager);
        self.change_forager(forager, |record| {
            let incarnation = record.incarnation;
            let attempt = Attempt { incarnation, epoch, assigned_at, started_at: None, cancel: None, times };
            record.open[class].insert(id, attempt);
        });
        self.set(id.instance, InstanceState::Assigned, Some((forager, id.fence)));
    }

    /// Closes an attempt, if it is open at that forager, and remembers how.
    pub(super) fn close(
        &mut self,
        id: AttemptId,
        forager: ForagerNo,
        how: impl FnOnce(&Attempt) -> (Ending, Option<Arc<str>>),
    ) -> Option<Attempt> {
        let attempt =
            self.change_forager(forager, |record| record.open.iter_mut().find_map(|open| open.remove(&id)))??;
        self.state.index.holding.close(id.instance.graph, forager);
        let (ending, message) = how(&attempt);
        if let (Some(started_at), Some(shape)) = (attempt.started_at, self.shape(id.instance.graph)) {
            let timeout_at = started_at.plus(shape.timeout(id.instance.node));
            self.state.index.timers.forget_elapsed(timeout_at, Timer::Timeout(id));
        }
        let closed_at = if planted(Bug::ClockInApply) { WallTime(noise()) } else { self.wall() };
        if let Some(instance) = self.instance_mut(id.instance) {
            let story = instance.story_mut();
            story.open.retain(|open| open.fence != id.fence);
            story.open.shrink_to_fit();
            let Attempt { epoch, times, .. } = attempt;
            let closed =
                ClosedAttempt { fence: id.fence, forager, epoch, times, closed_at, ending, message, decided: None };
            story.remember(closed);
        }
        Some(attempt)
    }

    /// Marks an open attempt as to be cancelled; the first reason stays.
    pub(super) fn cancel_attempt(&mut self, id: AttemptId, forager: ForagerNo, reason: CancelReason) {
        self.change_forager(forager, |record| {
            if let Some(attempt) = record.attempt_mut(&id) {
                attempt.cancel.get_or_insert(reason);
            }
        });
    }
}
