//! `CancelGraph`: nothing more of the graph starts, and what runs is cancelled.

use antfarm_model::GraphNo;

use super::Answer;
use super::step::Step;
use crate::graph_record::{GraphPhase, GraphState};
use crate::outcome::{Refusal, Reply};

impl Step<'_> {
    pub(super) fn cancel_graph(&mut self, graph: GraphNo) -> Answer {
        match self.graph(graph)?.phase {
            GraphPhase::Stopped(GraphState::Cancelled) => Ok(Reply::Done),
            GraphPhase::Stopped(_) => Err(Refusal::GraphEnded),
            GraphPhase::Running | GraphPhase::Paused => {
                self.stop_graph(graph, GraphState::Cancelled, None);
                Ok(Reply::Done)
            }
        }
    }
}
