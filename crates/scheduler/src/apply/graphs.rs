//! How graphs end: all at once when their fate is sealed, or when the last instance is final.

use antfarm_model::GraphNo;

use super::step::Step;
use crate::event::Event;
use crate::forager::CancelReason;
use crate::graph_record::{GraphPhase, GraphState};
use crate::instance::InstanceState;
use crate::instances::InstanceId;

impl Step<'_> {
    /// Seals a graph's fate: nothing more of it starts, and what runs is cancelled. What never started is shown as
    /// cancelled or skipped without being touched. O(log n) and what runs.
    pub(super) fn stop_graph(&mut self, graph: GraphNo, fate: GraphState, by: Option<InstanceId>) {
        let Some(record) = self.graph_mut(graph) else { return };
        if matches!(record.phase, GraphPhase::Stopped(_)) {
            return;
        }
        record.phase = GraphPhase::Stopped(fate);
        record.stopped_by = by;
        self.state.index.ready.remove(graph);
        let open: Vec<_> = self.state.open_attempts(graph).map(|(id, forager)| (*id, forager)).collect();
        for (id, forager) in open {
            self.cancel_attempt(id, forager, CancelReason::GraphStopped);
            let irrevocable = self.shape(graph).is_some_and(|shape| shape.is_irrevocable(id.instance.node));
            let running = self.instance(id.instance).is_some_and(|instance| !instance.state.is_final());
            if running && !irrevocable {
                self.set(id.instance, InstanceState::Cancelled, None);
            }
        }
        self.tell(Event::Graph { graph, state: fate, finished: false });
        self.finish_graph(graph);
    }

    /// Notes the end of a graph when nothing more happens to any of its instances.
    pub(super) fn finish_graph(&mut self, graph: GraphNo) {
        let (wall, elapsed) = (self.wall(), self.elapsed());
        let Some(record) = self.state.graph(graph) else { return };
        if record.finished_at.is_some() || record.has_unfinished() {
            return;
        }
        let any = |state| record.counts.of(state) > 0;
        let fate = match record.phase {
            GraphPhase::Stopped(fate) => fate,
            GraphPhase::Running | GraphPhase::Paused if any(InstanceState::Failed) => GraphState::Failed,
            GraphPhase::Running | GraphPhase::Paused if any(InstanceState::Expired) => GraphState::Expired,
            GraphPhase::Running | GraphPhase::Paused => GraphState::Succeeded,
        };
        let Some(record) = self.graph_mut(graph) else { return };
        record.phase = GraphPhase::Stopped(fate);
        record.finished_at = Some((wall, elapsed));
        self.state.index.ready.remove(graph);
        self.state.index.finished.insert((elapsed, graph));
        self.tell(Event::Graph { graph, state: fate, finished: true });
    }
}
