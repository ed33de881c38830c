//! What happens by itself when its time has come.

use antfarm_model::{GraphNo, NodeNo};

use super::step::Step;
use crate::forager::CancelReason;
use crate::graph_record::GraphPhase;
use crate::index::Timer;
use crate::instance::InstanceState;
use crate::instances::{InstanceId, Instances};

impl Step<'_> {
    /// Fires everything that is due. All of it: a replica that was loaded from a snapshot may hold timers that others
    /// have fired before, and a bound would then part them.
    pub(super) fn fire_timers(&mut self) {
        let (wall, elapsed) = (self.wall(), self.elapsed());
        while let Some(timer) = self.state.index.timers.take_due(wall, elapsed) {
            self.fire(timer);
        }
    }

    fn fire(&mut self, timer: Timer) {
        match timer {
            Timer::Deadline(graph, kind) => self.fire_deadline(graph, kind),
            Timer::NotBefore(graph, node) if self.is_active(graph) => self.resolve_node(graph, node),
            Timer::Hold(id) if self.is_active(id.graph) => self.fire_hold(id),
            Timer::NotBefore(..) | Timer::Hold(_) => {}
            Timer::Timeout(id) => {
                if let Some(forager) = self.state.holder(&id) {
                    self.cancel_attempt(id, forager, CancelReason::Timeout);
                }
            }
            Timer::Quarantine(forager) => self.end_quarantine(forager),
            Timer::ToolQuarantine(forager, tool) => self.end_tool_quarantine(forager, tool),
            Timer::Forget(forager) => self.forget_forager(forager),
            Timer::Upload(upload) => {
                let now = self.elapsed();
                if self.state.core.uploads.get(&upload).is_some_and(|kept| kept.dropped_at <= now) {
                    self.state.core.uploads.remove(&upload);
                }
            }
            Timer::Tombstone(name) => {
                let now = self.elapsed();
                if self.state.core.tombstones.get(&name).is_some_and(|tombstone| tombstone.until <= now) {
                    self.state.core.tombstones.remove(&name);
                }
            }
        }
    }

    fn fire_deadline(&mut self, graph: GraphNo, kind: u32) {
        let Some(shape) = self.shape(graph) else { return };
        let all = |node: &NodeNo| Instances { graph, node: *node, start: 0, len: shape.instances(*node) };
        for id in shape.with_deadline(kind).iter().flat_map(|node| all(node).iter()) {
            if !self.is_active(graph) {
                return;
            }
            // Whose fate is unknown has no deadline any more: somebody decides.
            if self.instance(id).is_some_and(|instance| instance.state != InstanceState::NeedsDecision) {
                self.expire(id);
            }
        }
    }

    fn fire_hold(&mut self, id: InstanceId) {
        let now = self.elapsed();
        let due = self.instance(id).is_some_and(|held| {
            held.state == InstanceState::Waiting && held.held_until.is_some_and(|until| until <= now)
        });
        if due {
            self.set(id, InstanceState::Ready, None);
        }
    }

    pub(super) fn is_active(&self, graph: GraphNo) -> bool {
        self.state.graph(graph).is_some_and(|graph| !matches!(graph.phase, GraphPhase::Stopped(_)))
    }
}
