//! `Submit`: a graph appears, whole.

use std::collections::BTreeSet;
use std::sync::Arc;

use antfarm_model::{Graph, GraphNo, Name, NodeNo};

use super::Answer;
use super::step::Step;
use crate::chunked::Chunked;
use crate::command::GraphSource;
use crate::event::Event;
use crate::graph_record::{Counts, GraphPhase, GraphRecord, GraphState, NodeProgress};
use crate::index::Timer;
use crate::instance::{Instance, InstanceState};
use crate::outcome::{Refusal, Reply};
use crate::shape::{Shape, ToolUse};
use crate::state::State;

impl Step<'_> {
    pub(super) fn submit(&mut self, source: &GraphSource) -> Answer {
        let graph = match source {
            GraphSource::Inline(bytes) => GraphSource::decode(bytes),
            GraphSource::Uploaded { upload, parts } => GraphSource::decode(&self.take_upload(*upload, *parts)?),
        }
        .map_err(Refusal::BadGraph)?;
        graph.check_sound().map_err(Refusal::UnsoundGraph)?;
        let digest = graph.digest();
        if let Some(existing) = self.state.graph_named(graph.id.as_str()) {
            return if existing.digest == digest {
                Ok(Reply::Submitted { graph: existing.no, new: false })
            } else {
                Err(Refusal::GraphConflict(graph.id))
            };
        }
        if self.state.is_taken(&graph.id) {
            return Err(Refusal::IdTaken(graph.id));
        }
        let shape = self.state.shape_of(graph)?;
        let no = self.insert_graph(shape, digest);
        Ok(Reply::Submitted { graph: no, new: true })
    }

    fn take_upload(&mut self, upload: u64, parts: u32) -> Result<Vec<u8>, Refusal> {
        let kept = self.state.core.uploads.remove(&upload).ok_or(Refusal::UploadIncomplete)?;
        if !(0..parts).eq(kept.parts.keys().copied()) {
            return Err(Refusal::UploadIncomplete);
        }
        Ok(kept.parts.values().flat_map(|part| part.iter().copied()).collect())
    }

    fn insert_graph(&mut self, shape: Shape, digest: [u8; 32]) -> GraphNo {
        let no = self.state.core.next_graph;
        self.state.core.next_graph = GraphNo(no.0 + 1);
        for tool in shape.tools() {
            if let Some(record) = self.state.core.tools.get_mut(&tool.tool) {
                record.users += 1;
            }
        }
        let mut counts = Counts::default();
        counts.add(InstanceState::Waiting, shape.instance_count());
        let progress = shape.nodes().map(|(node, spec)| NodeProgress {
            unresolved: shape.dependency_count(node),
            unsettled: spec.instances(),
            skipped: false,
        });
        let roots: Vec<NodeNo> =
            shape.nodes().map(|(node, _)| node).filter(|node| shape.dependency_count(*node) == 0).collect();
        for (kind, deadline) in shape.deadlines() {
            self.state.index.timers.at_wall(deadline, Timer::Deadline(no, kind));
        }
        self.state.index.graphs.insert(shape.graph().id.clone(), no);
        let record = GraphRecord {
            no,
            submitted_at: self.wall(),
            finished_at: None,
            digest,
            phase: GraphPhase::Running,
            stopped_by: None,
            counts,
            progress: progress.collect(),
            instances: (0..shape.instance_count()).map(|_| Instance::default()).collect::<Chunked<_>>(),
            shape: Arc::new(shape),
        };
        self.state.core.graphs.insert(no, Arc::new(record));
        self.tell(Event::Graph { graph: no, state: GraphState::Running, finished: false });
        for node in roots {
            self.resolve_node(no, node);
        }
        no
    }
}

impl State {
    /// Whether a new graph cannot have that id, because one has it or had it not long ago.
    pub(crate) fn is_taken(&self, id: &Name) -> bool {
        self.index.graphs.contains_key(id) || self.core.tombstones.contains_key(id)
    }

    pub(crate) fn shape_of(&self, graph: Graph) -> Result<Shape, Refusal> {
        let unknown: BTreeSet<&Name> =
            graph.nodes.iter().map(|node| &node.tool).filter(|tool| self.manifest(tool.as_str()).is_none()).collect();
        if !unknown.is_empty() {
            return Err(Refusal::UnknownTools(unknown.into_iter().cloned().collect()));
        }
        let tool_use = |name: &str| Some(ToolUse::new(*self.index.tools.get(name)?, self.manifest(name)?));
        Shape::new(graph, tool_use).map_err(|_| Refusal::UnknownTools(Vec::new()))
    }
}
