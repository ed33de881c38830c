//! What only time changes: everything that becomes due on one of the two clocks.
//!
//! A timer may outlive its reason, or be made anew after it was fired; firing it then does nothing.

use std::collections::BTreeSet;

use antfarm_model::{Elapsed, ForagerNo, GraphNo, Name, NodeNo, ToolNo, WallTime};

use crate::forager::Forager;
use crate::graph_record::{GraphPhase, GraphRecord};
use crate::instance::InstanceState;
use crate::instances::{AttemptId, InstanceId};
use crate::memory::of_set;
use crate::state::Core;

/// What becomes due.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Timer {
    /// The deadline of all nodes of a kind.
    Deadline(GraphNo, u32),
    /// The moment before which a node must not run.
    NotBefore(GraphNo, NodeNo),
    /// The end of a back-off.
    Hold(InstanceId),
    /// The longest run of an attempt.
    Timeout(AttemptId),
    /// The end of a forager's quarantine.
    Quarantine(ForagerNo),
    /// The end of a tool's quarantine at a forager.
    ToolQuarantine(ForagerNo, ToolNo),
    /// The time to forget a lost forager.
    Forget(ForagerNo),
    /// An upload that was not finished in time.
    Upload(u64),
    /// The end of the time for which the id of a removed graph stays taken.
    Tombstone(Name),
}

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Timers {
    wall: BTreeSet<(WallTime, Timer)>,
    elapsed: BTreeSet<(Elapsed, Timer)>,
}

impl Timers {
    pub(crate) fn at_wall(&mut self, moment: WallTime, timer: Timer) {
        self.wall.insert((moment, timer));
    }

    pub(crate) fn at_elapsed(&mut self, moment: Elapsed, timer: Timer) {
        self.elapsed.insert((moment, timer));
    }

    /// Takes out a timer that is not needed any more.
    pub(crate) fn forget_wall(&mut self, moment: WallTime, timer: Timer) {
        self.wall.remove(&(moment, timer));
    }

    /// Takes out a timer that is not needed any more.
    pub(crate) fn forget_elapsed(&mut self, moment: Elapsed, timer: Timer) {
        self.elapsed.remove(&(moment, timer));
    }

    /// The bytes that they take.
    pub(crate) fn bytes(&self) -> usize {
        of_set(&self.wall) + of_set(&self.elapsed)
    }

    /// Whether something is due.
    pub(crate) fn is_due(&self, wall: WallTime, elapsed: Elapsed) -> bool {
        self.wall.first().is_some_and(|(moment, _)| *moment <= wall)
            || self.elapsed.first().is_some_and(|(moment, _)| *moment <= elapsed)
    }

    /// Takes out one timer that is due.
    pub(crate) fn take_due(&mut self, wall: WallTime, elapsed: Elapsed) -> Option<Timer> {
        if self.wall.first().is_some_and(|(moment, _)| *moment <= wall) {
            return self.wall.pop_first().map(|(_, timer)| timer);
        }
        if self.elapsed.first().is_some_and(|(moment, _)| *moment <= elapsed) {
            return self.elapsed.pop_first().map(|(_, timer)| timer);
        }
        None
    }

    /// Whether every timer of `needed` that is not due yet is here.
    pub(crate) fn covers(&self, needed: &Self, wall: WallTime, elapsed: Elapsed) -> bool {
        needed.wall.iter().all(|timer| timer.0 <= wall || self.wall.contains(timer))
            && needed.elapsed.iter().all(|timer| timer.0 <= elapsed || self.elapsed.contains(timer))
    }

    /// What is not due yet about foragers: there is nothing of that without a reason, or replicas would tell of it in
    /// another order.
    pub(crate) fn of_foragers(&self, elapsed: Elapsed) -> impl Iterator<Item = &(Elapsed, Timer)> {
        let of_forager =
            |timer: &Timer| matches!(timer, Timer::Quarantine(_) | Timer::ToolQuarantine(..) | Timer::Forget(_));
        self.elapsed.iter().filter(move |(moment, timer)| *moment > elapsed && of_forager(timer))
    }

    /// Adds what a graph waits for.
    pub(crate) fn add_graph(&mut self, graph: &GraphRecord) {
        if matches!(graph.phase, GraphPhase::Stopped(_)) {
            return;
        }
        for (kind, deadline) in graph.shape.deadlines() {
            self.at_wall(deadline, Timer::Deadline(graph.no, kind));
        }
        let mut instances = graph.instances.iter();
        for (no, node) in graph.shape.nodes() {
            let mut unfinished = false;
            for (index, instance) in (0..node.instances()).zip(&mut instances) {
                unfinished |= !instance.state.is_final();
                if let (InstanceState::Waiting, Some(until)) = (instance.state, instance.held_until) {
                    self.at_elapsed(until, Timer::Hold(InstanceId { graph: graph.no, node: no, index }));
                }
            }
            let resolved = graph.progress(no).is_some_and(|progress| progress.unresolved == 0);
            if let (true, true, Some(moment)) = (unfinished, resolved, node.not_before) {
                self.at_wall(moment, Timer::NotBefore(graph.no, no));
            }
        }
    }

    /// Adds what a forager and its attempts wait for.
    pub(crate) fn add_forager(&mut self, core: &Core, forager: &Forager) {
        if let Some(until) = forager.standing.quarantined_until {
            self.at_elapsed(until, Timer::Quarantine(forager.no));
        }
        if let Some(at) = forager.forget_at {
            self.at_elapsed(at, Timer::Forget(forager.no));
        }
        for (tool, standing) in forager.standing.tools() {
            if let Some(until) = standing.quarantined_until {
                self.at_elapsed(until, Timer::ToolQuarantine(forager.no, tool));
            }
        }
        for (id, attempt) in forager.attempts() {
            let graph = core.graphs.get(&id.instance.graph);
            if let (Some(started_at), Some(graph)) = (attempt.started_at, graph) {
                self.at_elapsed(started_at.plus(graph.shape.timeout(id.instance.node)), Timer::Timeout(*id));
            }
        }
    }
}
