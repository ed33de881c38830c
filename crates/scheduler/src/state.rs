//! The replicated state.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use antfarm_model::{
    CostClass, Elapsed, Epoch, Fence, ForagerNo, GraphNo, LogIndex, Manifest, MemberId, Name, ToolNo, WallTime,
};

use crate::entry::Position;
use crate::forager::Forager;
use crate::graph_record::GraphRecord;
use crate::index::Index;
use crate::instance::Instance;
use crate::instances::{AttemptId, InstanceId};
use crate::shared_map::SharedMap;
use crate::snapshot::Snapshot;
use crate::turns::Turns;

/// The generation stands above this bit in epochs and fences.
const GENERATION_SHIFT: u32 = 48;

/// A tool that somebody has named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToolRecord {
    pub(crate) name: Name,
    pub(crate) manifest: Option<Arc<Manifest>>,
    /// Graphs that use it and have not been removed.
    pub(crate) users: u32,
}

/// A graph that is being uploaded in parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Upload {
    pub(crate) parts: BTreeMap<u32, Arc<[u8]>>,
    pub(crate) dropped_at: Elapsed,
}

impl Upload {
    /// Its parts, if there are just so many.
    pub(crate) fn whole(&self, parts: u32) -> Option<Vec<Arc<[u8]>>> {
        (0..parts).eq(self.parts.keys().copied()).then(|| self.parts.values().cloned().collect())
    }
}

/// A graph that was removed, whose id is still taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tombstone {
    pub(crate) until: Elapsed,
}

/// Everything that is stored. A copy shares all graphs, chunks and foragers with the original.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Core {
    pub(crate) generation: u16,
    pub(crate) applied: Position,
    pub(crate) wall: WallTime,
    pub(crate) elapsed: Elapsed,
    /// The cost classes, the one that was served longest ago first.
    pub(crate) turns: Turns,
    pub(crate) next_graph: GraphNo,
    pub(crate) next_tool: ToolNo,
    pub(crate) next_forager: ForagerNo,
    pub(crate) tools: BTreeMap<ToolNo, ToolRecord>,
    pub(crate) foragers: BTreeMap<ForagerNo, Arc<Forager>>,
    pub(crate) graphs: BTreeMap<GraphNo, Arc<GraphRecord>>,
    pub(crate) uploads: BTreeMap<u64, Upload>,
    pub(crate) tombstones: SharedMap<Name, Tombstone>,
    /// Members that were removed. An id is never used again.
    pub(crate) removed_members: BTreeSet<MemberId>,
}

impl Core {
    /// Nothing at all.
    pub(crate) fn empty(generation: u16) -> Self {
        Self {
            generation,
            applied: Position::default(),
            wall: WallTime::default(),
            elapsed: Elapsed::default(),
            turns: Turns::default(),
            next_graph: GraphNo(1),
            next_tool: ToolNo(0),
            next_forager: ForagerNo(0),
            tools: BTreeMap::new(),
            foragers: BTreeMap::new(),
            graphs: BTreeMap::new(),
            uploads: BTreeMap::new(),
            tombstones: SharedMap::default(),
            removed_members: BTreeSet::new(),
        }
    }
}

/// The state machine. [`State::apply`] is the only thing that changes it.
#[derive(Debug)]
pub struct State {
    pub(crate) core: Core,
    pub(crate) index: Index,
    /// Graphs that the last entry removed: no part of the state any more.
    pub(crate) removed: Vec<Arc<GraphRecord>>,
}

impl State {
    /// The state before the first entry: nothing but the manifests of the built-in tools. `generation` tells how often
    /// the cluster was restored from a backup.
    pub fn new(generation: u16) -> Self {
        let built_in = Manifest::built_in().into_iter().map(|manifest| ToolRecord {
            name: manifest.name.clone(),
            manifest: Some(Arc::new(manifest)),
            users: 0,
        });
        let mut core = Core { tools: (0..).map(ToolNo).zip(built_in).collect(), ..Core::empty(generation) };
        core.next_tool = core.tools.last_key_value().map_or(ToolNo(0), |(last, _)| ToolNo(last.0 + 1));
        Self::from_core(core)
    }

    pub(crate) fn from_core(core: Core) -> Self {
        let index = Index::rebuild(&core);
        Self { core, index, removed: Vec::new() }
    }

    /// The bytes of memory that the indexes take, which are not part of a snapshot. O(graphs).
    pub fn index_bytes(&self) -> usize {
        self.index.bytes()
    }

    /// The graphs that the last entry removed. To free a large one takes a while: the caller may do that where it holds up
    /// nobody. What is not taken is freed when the next entry is applied.
    pub fn take_removed(&mut self) -> Vec<Arc<GraphRecord>> {
        std::mem::take(&mut self.removed)
    }

    /// A copy that later entries do not change. O(chunks).
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::new(self.core.clone())
    }

    /// The parts of an upload, if there are just so many: what there is to be read ahead of the submission.
    pub fn uploaded(&self, upload: u64, parts: u32) -> Option<Vec<Arc<[u8]>>> {
        self.core.uploads.get(&upload)?.whole(parts)
    }

    /// Whether an upload is still to be submitted, or dropped when its time is over.
    pub fn is_uploading(&self, upload: u64) -> bool {
        self.core.uploads.contains_key(&upload)
    }

    /// The last entry that was applied.
    pub fn applied(&self) -> Position {
        self.core.applied
    }

    /// How often the cluster was restored from a backup.
    pub fn generation(&self) -> u16 {
        self.core.generation
    }

    /// The epoch of a term.
    pub fn epoch(&self, term: u64) -> Epoch {
        Epoch(self.stamped(term))
    }

    /// The fence of an entry.
    pub fn fence(&self, index: LogIndex) -> Fence {
        Fence(self.stamped(index.0))
    }

    fn stamped(&self, number: u64) -> u64 {
        (u64::from(self.core.generation) << GENERATION_SHIFT) | number
    }

    /// The members that were removed from the cluster.
    pub fn removed_members(&self) -> &BTreeSet<MemberId> {
        &self.core.removed_members
    }

    /// The cluster's wall clock.
    pub fn wall(&self) -> WallTime {
        self.core.wall
    }

    /// The cluster's own counter.
    pub fn elapsed(&self) -> Elapsed {
        self.core.elapsed
    }

    /// Whether something is due by these clocks, so that an entry should be proposed even without commands.
    pub fn is_due(&self, wall: WallTime, elapsed: Elapsed) -> bool {
        self.index.timers.is_due(wall, elapsed)
    }

    /// The graph with that number.
    pub fn graph(&self, graph: GraphNo) -> Option<&GraphRecord> {
        self.core.graphs.get(&graph).map(Arc::as_ref)
    }

    /// The graph with that id.
    pub fn graph_named(&self, id: &str) -> Option<&GraphRecord> {
        self.index.graphs.get(id).and_then(|graph| self.graph(*graph))
    }

    /// All graphs from a number on, in submission order.
    pub fn graphs_from(&self, graph: GraphNo) -> impl DoubleEndedIterator<Item = &GraphRecord> {
        self.core.graphs.range(graph..).map(|(_, graph)| graph.as_ref())
    }

    /// An instance with its graph.
    pub fn instance(&self, id: InstanceId) -> Option<(&GraphRecord, &Instance)> {
        let graph = self.graph(id.graph)?;
        Some((graph, graph.instance(id.node, id.index)?))
    }

    /// The forager with that number.
    pub fn forager(&self, forager: ForagerNo) -> Option<&Forager> {
        self.core.foragers.get(&forager).map(Arc::as_ref)
    }

    /// The forager with that name.
    pub fn forager_named(&self, name: &str) -> Option<&Forager> {
        self.index.foragers.get(name).and_then(|forager| self.forager(*forager))
    }

    /// All foragers in registry order.
    pub fn foragers(&self) -> impl Iterator<Item = &Forager> {
        self.core.foragers.values().map(Arc::as_ref)
    }

    /// The foragers behind that one, in registry order.
    pub fn foragers_after(&self, forager: ForagerNo) -> impl Iterator<Item = &Forager> {
        self.core.foragers.range(ForagerNo(forager.0.saturating_add(1))..).map(|(_, forager)| forager.as_ref())
    }

    /// Foragers that changed, or whose work changed, after that entry.
    pub fn foragers_changed_since(&self, index: LogIndex) -> impl Iterator<Item = &Forager> {
        self.index.changed.since(index).filter_map(|forager| self.forager(forager))
    }

    /// Who has that attempt, if it is open.
    pub fn holder(&self, attempt: &AttemptId) -> Option<ForagerNo> {
        let (_, instance) = self.instance(attempt.instance)?;
        instance.open.iter().find(|open| open.fence == attempt.fence).map(|open| open.forager)
    }

    /// The manifest of a tool.
    pub fn manifest(&self, name: &str) -> Option<&Manifest> {
        let tool = self.index.tools.get(name)?;
        self.core.tools.get(tool)?.manifest.as_deref()
    }

    /// All manifests, by name.
    pub fn manifests(&self) -> impl Iterator<Item = &Manifest> {
        self.index.tools.values().filter_map(|tool| self.core.tools.get(tool)?.manifest.as_deref())
    }

    /// The name of a tool.
    pub fn tool_name(&self, tool: ToolNo) -> Option<&Name> {
        self.core.tools.get(&tool).map(|tool| &tool.name)
    }

    /// The number of ready instances of a class.
    pub fn ready_count(&self, class: CostClass) -> u64 {
        self.index.ready.count(class)
    }

    /// The number of open attempts.
    pub fn open_count(&self) -> usize {
        self.index.holding.total()
    }

    /// The number of graphs.
    pub fn graph_count(&self) -> usize {
        self.core.graphs.len()
    }

    /// The open attempts of a graph.
    pub fn open_attempts(&self, graph: GraphNo) -> impl Iterator<Item = (&AttemptId, ForagerNo)> {
        let holders = self.index.holding.holders(graph).filter_map(|forager| self.forager(forager));
        holders.flat_map(move |forager| forager.attempts_of(graph).map(|id| (id, forager.no)))
    }
}
