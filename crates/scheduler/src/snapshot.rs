//! The state as a sequence of records, each small enough to be written, sent and checked by itself.

mod digest;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use antfarm_model::{
    Elapsed, ForagerNo, Graph, GraphNo, Manifest, MemberId, Name, Node, OnDeadline, OnFailure, ToolNo, WallTime,
};
use antfarm_planted::{Bug, planted};
use serde::{Deserialize, Serialize};

use crate::chunked::Chunked;
use crate::codec::{self, CodecError, Kind};
use crate::entry::Position;
use crate::forager::Forager;
use crate::graph_record::{Counts, GraphPhase, GraphRecord, NodeProgress};
use crate::instance::Instance;
use crate::instances::{AttemptId, InstanceId};
use crate::memory;
use crate::shape::{Shape, ToolUse};
use crate::state::{Core, State, Tombstone, ToolRecord, Upload};
use crate::turns::Turns;

/// A record is closed when it has about so many bytes; one element may have more.
const RECORD_BYTES: usize = 1 << 20;

/// A copy of the state that later entries do not change; it shares everything with the state until that changes.
#[derive(Debug, Clone)]
pub struct Snapshot(Core);

/// Why records are no state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// A record does not decode.
    #[error("record {number} of the snapshot: {error}")]
    BadRecord {
        /// Its number, from 0.
        number: usize,
        /// Why not.
        error: CodecError,
    },
    /// A record stands where it has no place, or the last one is missing.
    #[error("record {number} of the snapshot is out of place, or the snapshot ends too early")]
    OutOfPlace {
        /// Its number, from 0.
        number: usize,
    },
}

/// A record. Variants are appended, never reordered.
#[derive(Debug, Serialize, Deserialize)]
enum Record {
    Header {
        generation: u16,
        applied: Position,
        wall: WallTime,
        elapsed: Elapsed,
        turns: Turns,
        next_graph: GraphNo,
        next_tool: ToolNo,
        next_forager: ForagerNo,
    },
    Tool {
        no: ToolNo,
        name: Name,
        manifest: Option<Arc<Manifest>>,
        users: u32,
    },
    Forager(Arc<Forager>),
    Upload {
        upload: u64,
        part: u32,
        bytes: Arc<[u8]>,
        dropped_at: Elapsed,
    },
    Tombstone {
        name: Name,
        until: Elapsed,
    },
    Graph(GraphHead),
    Nodes(Vec<Node>),
    Progress(Vec<NodeProgress>),
    Instances(Vec<Instance>),
    GraphEnd,
    End,
    RemovedMembers(BTreeSet<MemberId>),
}

#[derive(Debug, Serialize, Deserialize)]
struct GraphHead {
    no: GraphNo,
    submitted_at: WallTime,
    finished_at: Option<(WallTime, Elapsed)>,
    digest: [u8; 32],
    phase: GraphPhase,
    stopped_by: Option<InstanceId>,
    counts: Counts,
    id: Name,
    on_failure: OnFailure,
    on_deadline: OnDeadline,
    tools: Vec<ToolUse>,
}

impl Snapshot {
    pub(crate) fn new(core: Core) -> Self {
        Self(core)
    }

    /// The last entry that it contains.
    pub fn position(&self) -> Position {
        self.0.applied
    }

    /// The bytes of memory that the state takes, without what is derived from it. O(chunks) and what has changed since they
    /// were counted last.
    pub fn bytes(&self) -> usize {
        memory::of_core(&self.0)
    }

    /// The records, encoded, in the order in which [`State::load`] wants them.
    pub fn records(&self) -> impl Iterator<Item = Vec<u8>> + Send + '_ {
        records(&self.0).map(|record| codec::encode(Kind::SnapshotRecord, &record))
    }

    /// A digest of everything in it: equal on replicas that applied the same entries. O(chunks) and what has changed since
    /// there was one last, in the state or in a copy of it.
    pub fn digest(&self) -> [u8; 32] {
        digest::of_core(&self.0)
    }
}

fn records(core: &Core) -> impl Iterator<Item = Record> + Send + '_ {
    let graphs = core.graphs.values().flat_map(|graph| graph_records(graph));
    records_before_graphs(core).chain(graphs).chain(std::iter::once(Record::End))
}

fn records_before_graphs(core: &Core) -> impl Iterator<Item = Record> + Send + '_ {
    let Core { generation, applied, wall, elapsed, turns, next_graph, next_tool, next_forager, .. } = *core;
    let header = Record::Header { generation, applied, wall, elapsed, turns, next_graph, next_tool, next_forager };
    let tools = core.tools.iter().map(|(no, tool)| Record::Tool {
        no: *no,
        name: tool.name.clone(),
        manifest: tool.manifest.clone(),
        users: tool.users,
    });
    let foragers = core.foragers.values().map(|forager| Record::Forager(Arc::clone(forager)));
    let uploads = core.uploads.iter().flat_map(|(upload, kept)| {
        kept.parts.iter().map(|(part, bytes)| Record::Upload {
            upload: *upload,
            part: *part,
            bytes: Arc::clone(bytes),
            dropped_at: kept.dropped_at,
        })
    });
    let tombstones = core
        .tombstones
        .iter()
        .filter(|_| !planted(Bug::TombstonesNotKept))
        .map(|(name, kept)| Record::Tombstone { name: name.clone(), until: kept.until });
    let removed = (!core.removed_members.is_empty()).then(|| Record::RemovedMembers(core.removed_members.clone()));
    std::iter::once(header).chain(tools).chain(foragers).chain(uploads).chain(tombstones).chain(removed)
}

fn graph_records(graph: &GraphRecord) -> impl Iterator<Item = Record> + Send + '_ {
    std::iter::once(Record::Graph(GraphHead::of(graph)))
        .chain(node_records(&graph.shape))
        .chain(pieces(graph.progress.iter().copied(), |_| size_of::<NodeProgress>()).map(Record::Progress))
        .chain(pieces(graph.instances.iter().cloned(), size_of_instance).map(Record::Instances))
        .chain(std::iter::once(Record::GraphEnd))
}

fn node_records(shape: &Shape) -> impl Iterator<Item = Record> + Send + '_ {
    pieces(shape.nodes().map(|(_, spec)| spec.to_node()), size_of_node).map(Record::Nodes)
}

impl GraphHead {
    fn of(graph: &GraphRecord) -> Self {
        let spec = graph.shape.graph();
        Self {
            no: graph.no,
            submitted_at: graph.submitted_at,
            finished_at: graph.finished_at,
            digest: graph.digest,
            phase: graph.phase,
            stopped_by: graph.stopped_by,
            counts: graph.counts,
            id: spec.id.clone(),
            on_failure: spec.on_failure,
            on_deadline: spec.on_deadline,
            tools: graph.shape.tools().to_vec(),
        }
    }
}

/// Gathers elements in pieces of about [`RECORD_BYTES`], each of at least one element.
fn pieces<T>(all: impl Iterator<Item = T>, size: fn(&T) -> usize) -> impl Iterator<Item = Vec<T>> {
    let mut all = all.peekable();
    std::iter::from_fn(move || {
        let first = all.next()?;
        let mut bytes = size(&first);
        let mut piece = vec![first];
        while let Some(element) = all.next_if(|next| bytes + size(next) <= RECORD_BYTES) {
            bytes += size(&element);
            piece.push(element);
        }
        Some(piece)
    })
}

/// About how many bytes a node takes in a record.
fn size_of_node(node: &Node) -> usize {
    512 + node.args.json.len() + 32 * (node.args.references.len() + node.after.len())
}

/// About how many bytes an instance takes in a record.
fn size_of_instance(instance: &Instance) -> usize {
    16 + instance.story_bytes()
}

/// A graph whose records are being read.
struct Partial {
    head: GraphHead,
    nodes: Vec<Node>,
    progress: Chunked<NodeProgress>,
    instances: Chunked<Instance>,
}

impl State {
    /// Builds the state that [`Snapshot::records`] wrote.
    ///
    /// # Errors
    /// The first error of `records`, or what is wrong with the first bad record.
    pub fn load<E: From<LoadError>>(records: impl IntoIterator<Item = Result<Vec<u8>, E>>) -> Result<Self, E> {
        let mut core = Core::empty(0);
        let mut partial = None;
        let mut complete = false;
        let mut count = 0;
        for (number, bytes) in records.into_iter().enumerate() {
            let record =
                codec::decode(Kind::SnapshotRecord, &bytes?).map_err(|error| LoadError::BadRecord { number, error })?;
            if complete || (number == 0) != matches!(record, Record::Header { .. }) {
                return Err(LoadError::OutOfPlace { number }.into());
            }
            complete = matches!(record, Record::End);
            take(&mut core, &mut partial, record).ok_or(LoadError::OutOfPlace { number })?;
            count = number;
        }
        if complete && partial.is_none() && is_coherent(&core) {
            if planted(Bug::FollowerReaps) {
                core.foragers.retain(|_, forager| !forager.lost);
            }
            Ok(Self::from_core(core))
        } else {
            Err(LoadError::OutOfPlace { number: count }.into())
        }
    }
}

/// Takes one record in; `None` if it stands where it has no place.
fn take(core: &mut Core, partial: &mut Option<Partial>, record: Record) -> Option<()> {
    match record {
        Record::Header { generation, applied, wall, elapsed, turns, next_graph, next_tool, next_forager } => {
            let empty = Core::empty(generation);
            *core = Core { applied, wall, elapsed, turns, next_graph, next_tool, next_forager, ..empty };
        }
        Record::Tool { no, name, manifest, users } => {
            core.tools.insert(no, ToolRecord { name, manifest, users });
        }
        Record::Forager(mut forager) => {
            if planted(Bug::OpenAttemptsNotKept) {
                Arc::make_mut(&mut forager).open = <[BTreeMap<_, _>; 3]>::default();
            }
            core.foragers.insert(forager.no, forager);
        }
        Record::Upload { upload, part, bytes, dropped_at } => {
            let kept = core.uploads.entry(upload).or_insert(Upload { parts: BTreeMap::new(), dropped_at });
            kept.parts.insert(part, bytes);
        }
        Record::Tombstone { name, until } => {
            core.tombstones.insert(name, Tombstone { until });
        }
        Record::RemovedMembers(removed) => core.removed_members = removed,
        Record::Graph(head) => {
            let begun =
                Partial { head, nodes: Vec::new(), progress: Chunked::default(), instances: Chunked::default() };
            if partial.replace(begun).is_some() {
                return None;
            }
        }
        Record::Nodes(nodes) => partial.as_mut()?.nodes.extend(nodes),
        Record::Progress(progress) => {
            let partial = partial.as_mut()?;
            for one in progress {
                partial.progress.push(one);
            }
        }
        Record::Instances(instances) => {
            let partial = partial.as_mut()?;
            for mut one in instances {
                if planted(Bug::OpenAttemptsNotKept) {
                    one.story_mut().open.clear();
                }
                partial.instances.push(one);
            }
        }
        Record::GraphEnd => {
            let graph = complete_graph(core, partial.take()?)?;
            core.graphs.insert(graph.no, Arc::new(graph));
        }
        Record::End => {}
    }
    Some(())
}

fn complete_graph(core: &Core, partial: Partial) -> Option<GraphRecord> {
    let Partial { head, nodes, progress, instances } = partial;
    let graph = Graph { id: head.id, on_failure: head.on_failure, on_deadline: head.on_deadline, nodes };
    let mut uses = BTreeMap::new();
    for tool in head.tools {
        uses.insert(core.tools.get(&tool.tool)?.name.as_str(), tool);
    }
    graph.check_sound().ok()?;
    let shape = Shape::new(graph, |name| uses.get(name).cloned()).ok()?;
    let mut counts = Counts::default();
    instances.iter().for_each(|instance| counts.add(instance.state, 1));
    let fits = counts == head.counts
        && progress.len() == shape.node_count()
        && instances.len() == shape.instance_count() as usize;
    fits.then(|| GraphRecord {
        no: head.no,
        submitted_at: head.submitted_at,
        finished_at: head.finished_at,
        digest: head.digest,
        phase: head.phase,
        stopped_by: head.stopped_by,
        shape: Arc::new(shape),
        counts: head.counts,
        progress,
        instances,
    })
}

/// Whether the parts of a state that was read fit together, so that nothing can be looked up in vain.
fn is_coherent(core: &Core) -> bool {
    let known = |tool: &ToolNo| core.tools.contains_key(tool);
    let foragers = core.foragers.values().all(|forager| forager.tools.iter().all(known));
    let numbers = core.graphs.keys().all(|graph| *graph < core.next_graph)
        && core.tools.keys().all(|tool| *tool < core.next_tool)
        && core.foragers.keys().all(|forager| *forager < core.next_forager);
    let mut users: BTreeMap<ToolNo, u32> = core.tools.keys().map(|tool| (*tool, 0)).collect();
    for tool in core.graphs.values().flat_map(|graph| graph.shape.tools()) {
        *users.entry(tool.tool).or_default() += 1;
    }
    let used = core.tools.values().map(|tool| tool.users).eq(users.into_values());
    foragers && numbers && used && core.elapsed <= Elapsed::LAST && attempts_agree(core)
}

/// Whether instances and foragers agree on the open attempts.
fn attempts_agree(core: &Core) -> bool {
    let mut at_instances = 0;
    let known = core.graphs.values().flat_map(|graph| graph.each_instance()).all(|(instance, record)| {
        at_instances += record.open.len();
        record.open.iter().all(|open| {
            let id = AttemptId { instance, fence: open.fence };
            let forager = core.foragers.get(&open.forager);
            let attempt = forager.and_then(|forager| Some((forager, forager.attempt(&id)?)));
            attempt.is_some_and(|(forager, attempt)| attempt.incarnation == forager.incarnation)
        })
    });
    known && at_instances == core.foragers.values().map(|forager| forager.attempts().count()).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use antfarm_model::{LogIndex, NodeNo, document};

    use super::*;
    use crate::{Command, Entry, GraphSource};

    fn apply(state: &mut State, command: Command) {
        let index = LogIndex(state.applied().index.0 + 1);
        let (epoch, wall, elapsed) = (state.epoch(1), state.wall(), state.elapsed());
        let entry = Entry { epoch, wall, elapsed, commands: vec![command] };
        let outcome = state.apply(Position { index, term: 1 }, &entry);
        assert!(outcome.answers[0].is_ok(), "{:?}", outcome.answers);
    }

    /// A state with an array of many instances.
    fn large() -> State {
        let text = r#"{"id": "g", "nodes": {"n": {"tool": "noop", "array": {"count": 10000}}}}"#;
        let graph = document::graph(text.as_bytes(), &antfarm_model::Limits::default()).expect("a good graph");
        let mut state = State::new(0);
        apply(&mut state, Command::Submit(GraphSource::Inline(GraphSource::encode(&graph).into())));
        state
    }

    #[test]
    fn a_snapshot_shares_every_graph_and_a_change_then_copies_one_chunk() {
        let mut state = large();
        let snapshot = state.snapshot();
        let graph = GraphNo(1);
        assert!(Arc::ptr_eq(&snapshot.0.graphs[&graph], &state.core.graphs[&graph]), "nothing was copied");
        let id = InstanceId { graph, node: NodeNo(0), index: 5_000 };
        let record = state.core.graphs.get_mut(&graph).map(Arc::make_mut).expect("it is there");
        record.instance_mut(id).expect("it is there").story_mut().attempts = 1;
        let (then, now) = (&snapshot.0.graphs[&graph], &state.core.graphs[&graph]);
        assert!(Arc::ptr_eq(&then.shape, &now.shape));
        assert_eq!((now.instances.unshared_with(&then.instances), now.progress.unshared_with(&then.progress)), (1, 0));
        assert_eq!(then.instance(id.node, id.index).map(|one| one.attempts), Some(0));
    }

    #[test]
    fn the_bytes_of_a_state_follow_what_it_holds() {
        let mut state = large();
        let bytes = |state: &State| state.snapshot().bytes();
        let (empty, full) = (bytes(&State::new(0)), bytes(&state));
        assert!((4_000..16_000).contains(&(full - empty)), "two chunks of equal instances: {}", full - empty);
        let graph = GraphNo(1);
        for index in (0..10_000).step_by(256) {
            let record = state.core.graphs.get_mut(&graph).map(Arc::make_mut).expect("it is there");
            let instance = record.instance_mut(InstanceId { graph, node: NodeNo(0), index }).expect("it is there");
            instance.story_mut().text = Some("x".into());
        }
        let touched = bytes(&state);
        assert!((160_000..200_000).contains(&(touched - empty)), "10,000 instances of 16 bytes: {}", touched - empty);
        apply(&mut state, Command::CancelGraph { graph });
        apply(&mut state, Command::RemoveGraph { graph, dedupe_window: antfarm_model::Span(1) });
        assert!(bytes(&state) < empty + 1_000, "{} bytes are left", bytes(&state) - empty);
    }

    #[test]
    fn what_a_removed_graph_took_is_for_the_caller_to_free_until_the_next_entry() {
        let mut state = large();
        let graph = GraphNo(1);
        apply(&mut state, Command::CancelGraph { graph });
        apply(&mut state, Command::RemoveGraph { graph, dedupe_window: antfarm_model::Span(1) });
        assert!(state.graph(graph).is_none());
        assert_eq!(state.take_removed().iter().map(|removed| removed.no).collect::<Vec<_>>(), [graph]);
        assert!(state.take_removed().is_empty(), "it is given away once");

        let mut state = large();
        apply(&mut state, Command::CancelGraph { graph });
        apply(&mut state, Command::RemoveGraph { graph, dedupe_window: antfarm_model::Span(1) });
        state.skip(Position { index: LogIndex(state.applied().index.0 + 1), term: 1 });
        assert_eq!(state.removed.len(), 1, "an entry that is not ours changes nothing");
        apply(&mut state, Command::PutTool(Manifest::built_in().swap_remove(0)));
        assert!(state.take_removed().is_empty());
    }
}
