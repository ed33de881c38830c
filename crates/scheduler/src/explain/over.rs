//! What brought an instance to its end.

use antfarm_model::{NodeNo, OnDeadline};

use super::{Cause, Reason, View};
use crate::command::VerdictKind;
use crate::graph_record::{GraphPhase, GraphState};
use crate::instance::InstanceState;
use crate::instances::InstanceId;

/// Skipped nodes that are followed back to the one that was not skipped.
const MAX_STEPS: usize = 1_000;

impl View<'_> {
    pub(super) fn over(&self, shown: InstanceState) -> Reason {
        let deadline = self.graph.shape().node(self.id.node).and_then(|node| node.deadline);
        let attempts = self.instance.attempts;
        match shown {
            InstanceState::Failed => Reason::Failed { why: self.text(), attempts },
            InstanceState::Expired => Reason::Expired { deadline, attempts },
            InstanceState::Cancelled => Reason::Cancelled(self.end_of_graph()),
            InstanceState::Skipped => Reason::Skipped(self.skipped()),
            InstanceState::Succeeded
            | InstanceState::Waiting
            | InstanceState::Ready
            | InstanceState::Assigned
            | InstanceState::Running
            | InstanceState::NeedsDecision => self.succeeded(),
        }
    }

    fn succeeded(&self) -> Reason {
        let last = self.instance.closed.last();
        let decided = last.and_then(|last| last.decided.as_deref());
        let decided = decided.filter(|decided| decided.verdict == VerdictKind::Succeed);
        Reason::Succeeded {
            forager: last.and_then(|last| self.state.forager(last.forager)).map(|forager| forager.name.clone()),
            decided_by: decided.map(|decided| decided.by.to_string()),
        }
    }

    /// Why the whole graph ended.
    fn end_of_graph(&self) -> Cause {
        match (self.graph.phase, self.graph.stopped_by) {
            (GraphPhase::Stopped(GraphState::Cancelled), _) => Cause::GraphCancelled,
            (_, Some(id)) => self.node(id, true),
            (_, None) => Cause::Unknown,
        }
    }

    /// The node for whose sake an instance was skipped: the end of the chain of skipped ones.
    fn skipped(&self) -> Cause {
        if self.instance.state != InstanceState::Skipped {
            return self.end_of_graph(); // the graph ended before it began
        }
        let mut node = self.id.node;
        for _ in 0..MAX_STEPS {
            match self.without_result(node) {
                Some((before, InstanceState::Skipped)) => node = before.node,
                Some((id, _)) => return self.node(id, false),
                None => break,
            }
        }
        Cause::Unknown
    }

    /// The first instance that a node needs and that failed or expired; or else the first that was skipped.
    fn without_result(&self, node: NodeNo) -> Option<(InstanceId, InstanceState)> {
        let shape = self.graph.shape();
        let continues = shape.graph().on_deadline == OnDeadline::Continue;
        let mut skipped = None;
        for (of, needs_result) in shape.node(node)?.dependencies() {
            let count = shape.instances(of.node);
            for index in of.index.map_or(0..count, |index| index..index + 1) {
                let id = InstanceId { graph: self.id.graph, node: of.node, index };
                match self.graph.instance(of.node, index)?.state {
                    InstanceState::Expired if continues && !needs_result => {}
                    ended @ (InstanceState::Failed | InstanceState::Expired) => return Some((id, ended)),
                    InstanceState::Skipped => {
                        skipped.get_or_insert((id, InstanceState::Skipped));
                    }
                    InstanceState::Waiting
                    | InstanceState::Ready
                    | InstanceState::Assigned
                    | InstanceState::Running
                    | InstanceState::Succeeded
                    | InstanceState::Cancelled
                    | InstanceState::NeedsDecision => {}
                }
            }
        }
        skipped
    }

    fn node(&self, id: InstanceId, ended_graph: bool) -> Cause {
        let state = self.graph.instance(id.node, id.index).map(|one| one.state).unwrap_or_default();
        Cause::Node { name: self.name(id), state, ended_graph }
    }
}
