//! `Assign`: opens attempts, if everything that the decision relied on still holds.

use antfarm_model::{ForagerNo, Incarnation};
use antfarm_planted::{Bug, planted};

use super::Answer;
use super::step::Step;
use crate::forager::{Forager, ForagerState};
use crate::graph_record::GraphPhase;
use crate::instance::InstanceState;
use crate::instances::{AttemptId, Instances};
use crate::outcome::{Refusal, Reply};

impl Step<'_> {
    pub(super) fn assign(&mut self, forager: ForagerNo, incarnation: Incarnation, instances: &Instances) -> Answer {
        self.check_assignment(forager, incarnation, instances)?;
        let fence = self.fence();
        let Some(shape) = self.shape(instances.graph) else { return Err(Refusal::UnknownGraph) };
        let class = shape.tool(instances.node).class;
        for instance in instances.iter() {
            self.open(AttemptId { instance, fence }, forager, class.index());
        }
        self.state.core.turns.serve(class);
        Ok(Reply::Done)
    }

    fn check_assignment(
        &self,
        forager: ForagerNo,
        incarnation: Incarnation,
        instances: &Instances,
    ) -> Result<(), Refusal> {
        let record = self.incarnation(forager, incarnation)?;
        if record.state() != ForagerState::Ready {
            return Err(Refusal::ForagerUnavailable);
        }
        let graph = self.graph(instances.graph)?;
        let shape = graph.shape();
        if !shape.contains(instances) {
            return Err(Refusal::UnknownInstance);
        }
        let tool = shape.tool(instances.node);
        if !record.tools.contains(&tool.tool) {
            return Err(Refusal::NoSuchToolThere);
        }
        if record.standing.tool_quarantined_until(tool.tool).is_some() {
            return Err(Refusal::ToolQuarantined);
        }
        if record.standing.backs_off(instances.graph, instances.node, self.elapsed()).is_some() {
            return Err(Refusal::BacksOff);
        }
        let left = if shape.is_irrevocable(instances.node) { Forager::free } else { Forager::room };
        if left(record, tool.class, &[0; 3]) < instances.len {
            return Err(Refusal::NoSlot);
        }
        let node = shape.node(instances.node).ok_or(Refusal::UnknownInstance)?;
        if node.pin.is_some_and(|pin| *pin != record.name) {
            return Err(Refusal::PinnedElsewhere);
        }
        let expired = node.deadline.is_some_and(|deadline| deadline <= self.wall());
        let running = graph.phase == GraphPhase::Running || planted(Bug::CancelNotChecked);
        let fence = self.fence();
        let ready = instances.iter().all(|id| {
            graph.instance(id.node, id.index).is_some_and(|instance| {
                instance.state == InstanceState::Ready
                    && instance.closed.iter().all(|closed| closed.fence != fence)
                    && instance.open.iter().all(|open| open.fence != fence && open.forager != forager)
            })
        });
        if ready && running && !expired { Ok(()) } else { Err(Refusal::NotReady) }
    }
}
