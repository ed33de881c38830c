//! `PauseGraph` and `ResumeGraph`: assign nothing more of a graph; go on.

use antfarm_model::GraphNo;

use super::Answer;
use super::step::Step;
use crate::event::Event;
use crate::graph_record::{GraphPhase, GraphState};
use crate::outcome::{Refusal, Reply};

impl Step<'_> {
    pub(super) fn pause_graph(&mut self, graph: GraphNo) -> Answer {
        match self.graph(graph)?.phase {
            GraphPhase::Stopped(_) => Err(Refusal::GraphEnded),
            GraphPhase::Paused => Ok(Reply::Done),
            GraphPhase::Running => {
                self.state.index.ready.pause(graph);
                self.enter(graph, GraphPhase::Paused, GraphState::Paused);
                Ok(Reply::Done)
            }
        }
    }

    pub(super) fn resume_graph(&mut self, graph: GraphNo) -> Answer {
        match self.graph(graph)?.phase {
            GraphPhase::Stopped(_) => Err(Refusal::GraphEnded),
            GraphPhase::Running => Ok(Reply::Done),
            GraphPhase::Paused => {
                self.state.index.ready.resume(graph);
                self.enter(graph, GraphPhase::Running, GraphState::Running);
                Ok(Reply::Done)
            }
        }
    }

    fn enter(&mut self, graph: GraphNo, phase: GraphPhase, state: GraphState) {
        if let Some(record) = self.graph_mut(graph) {
            record.phase = phase;
        }
        self.tell(Event::Graph { graph, state, finished: false });
    }
}
