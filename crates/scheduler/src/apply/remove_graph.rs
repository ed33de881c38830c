//! `RemoveGraph`: forgets a graph that has ended; its id stays taken for a while.

use antfarm_model::{GraphNo, Span};

use super::Answer;
use super::step::Step;
use crate::event::Event;
use crate::index::Timer;
use crate::outcome::{Refusal, Reply};
use crate::state::Tombstone;

impl Step<'_> {
    pub(super) fn remove_graph(&mut self, graph: GraphNo, dedupe_window: Span) -> Answer {
        let finished_at = self.graph(graph)?.finished_at;
        let Some((_, finished)) = finished_at else { return Err(Refusal::GraphActive) };
        if self.state.open_attempts(graph).next().is_some() {
            return Err(Refusal::GraphActive);
        }
        let record = self.state.core.graphs.remove(&graph).ok_or(Refusal::UnknownGraph)?;
        for tool in record.shape().tools() {
            if let Some(used) = self.state.core.tools.get_mut(&tool.tool) {
                used.users = used.users.saturating_sub(1);
            }
            self.drop_tool_without_reason(tool.tool);
        }
        for (kind, deadline) in record.shape().deadlines() {
            self.state.index.timers.forget_wall(deadline, Timer::Deadline(graph, kind));
        }
        let id = record.shape().graph().id.clone();
        let until = self.elapsed().plus(dedupe_window);
        self.state.index.graphs.remove(&id);
        self.state.index.finished.remove(&(finished, graph));
        self.state.core.tombstones.insert(id.clone(), Tombstone { until });
        self.state.index.timers.at_elapsed(until, Timer::Tombstone(id.clone()));
        self.state.removed.push(record);
        self.tell(Event::GraphRemoved { graph, id });
        Ok(Reply::Done)
    }
}
