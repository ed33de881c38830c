//! `Submit`: a graph appears, whole.

use std::sync::Arc;

use antfarm_model::{GraphNo, Name};

use super::Answer;
use super::step::Step;
use crate::command::GraphSource;
use crate::draft::{Content, Draft};
use crate::event::Event;
use crate::graph_record::{GraphPhase, GraphRecord, GraphState};
use crate::index::Timer;
use crate::instance::InstanceState;
use crate::instances::Instances;
use crate::outcome::{Refusal, Reply};
use crate::shape::ToolUse;
use crate::state::State;

impl Step<'_> {
    pub(super) fn submit(&mut self, source: &GraphSource) -> Answer {
        let parts = match source {
            GraphSource::Inline(bytes) => vec![Arc::clone(bytes)],
            GraphSource::Uploaded { upload, parts } => self.take_upload(*upload, *parts)?,
        };
        let content = self.drafts.take(&parts).unwrap_or_else(|| Draft::read(parts)).into_content()?;
        let id = &content.shape().graph().id;
        if let Some(existing) = self.state.graph_named(id.as_str()) {
            return if existing.digest == content.digest {
                Ok(Reply::Submitted { graph: existing.no, new: false })
            } else {
                Err(Refusal::GraphConflict(id.clone()))
            };
        }
        if self.state.is_taken(id) {
            return Err(Refusal::IdTaken(id.clone()));
        }
        let graph = self.insert_graph(content)?;
        Ok(Reply::Submitted { graph, new: true })
    }

    fn take_upload(&mut self, upload: u64, parts: u32) -> Result<Vec<Arc<[u8]>>, Refusal> {
        let kept = self.state.core.uploads.remove(&upload).ok_or(Refusal::UploadIncomplete)?;
        kept.whole(parts).ok_or(Refusal::UploadIncomplete)
    }

    /// Links a graph that was read: O(tools, kinds of nodes) and, to tell of them, the nodes that are ready at once.
    fn insert_graph(&mut self, content: Content) -> Result<GraphNo, Refusal> {
        let Content { digest, outline, counts, progress, instances, ready, roots, later } = content;
        let state = &mut *self.state;
        let shape = Arc::new(outline.using(|name| state.tool_use(name)).map_err(Refusal::UnknownTools)?);
        let no = state.core.next_graph;
        state.core.next_graph = GraphNo(no.0 + 1);
        for tool in shape.tools() {
            if let Some(record) = state.core.tools.get_mut(&tool.tool) {
                record.users += 1;
            }
        }
        for (kind, deadline) in shape.deadlines() {
            state.index.timers.at_wall(deadline, Timer::Deadline(no, kind));
        }
        state.index.graphs.insert(shape.graph().id.clone(), no);
        state.index.ready.add_roots(no, &shape, roots);
        let record = GraphRecord {
            no,
            submitted_at: state.core.wall,
            finished_at: None,
            digest,
            phase: GraphPhase::Running,
            stopped_by: None,
            counts,
            progress,
            instances,
            shape: Arc::clone(&shape),
        };
        state.core.graphs.insert(no, Arc::new(record));
        self.tell(Event::Graph { graph: no, state: GraphState::Running, finished: false });
        for node in ready {
            let instances = Instances { graph: no, node, start: 0, len: shape.instances(node) };
            let (from, state) = (InstanceState::Waiting, InstanceState::Ready);
            self.tell(Event::Instances { instances, from, state, attempt: None });
        }
        for node in later {
            self.resolve_node(no, node);
        }
        Ok(no)
    }
}

impl State {
    /// Whether a new graph cannot have that id, because one has it or had it not long ago.
    pub(crate) fn is_taken(&self, id: &Name) -> bool {
        self.index.graphs.contains_key(id) || self.core.tombstones.contains_key(id)
    }

    /// How a graph uses a tool, if it has a manifest.
    pub(crate) fn tool_use(&self, name: &str) -> Option<ToolUse> {
        Some(ToolUse::new(*self.index.tools.get(name)?, self.manifest(name)?))
    }
}
