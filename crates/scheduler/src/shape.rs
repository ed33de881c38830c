//! What never changes of a submitted graph: its nodes, their tools as they were at submission, and who waits for whom.

mod builder;
mod kind;
mod outline;
mod packed;
mod spec;

use std::ops::Range;
use std::sync::Arc;

use antfarm_model::{
    Backoff, CostClass, EffectClass, Graph, Manifest, Name, NodeNo, OnDeadline, OnFailure, Span, ToolNo, WallTime,
};
use serde::{Deserialize, Serialize};

pub(crate) use outline::{Outline, QueueKey};
pub use spec::NodeSpec;

use crate::instances::Instances;
use crate::memo::Memo;
use crate::memory::of_text;
use crate::rows::{Rows, Texts};
use kind::Kind;
use packed::{PackedDependency, PackedReference, Successor, Which};

/// A tool as a graph uses it: later changes of the manifest do not touch the graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolUse {
    /// The tool.
    pub tool: ToolNo,
    /// Its cost class.
    pub class: CostClass,
    /// Its effect class.
    pub effects: EffectClass,
    /// The longest run, unless a node says another.
    pub timeout: Span,
    /// Further tries, unless a node says another number.
    pub retries: u32,
    /// The wait between tries.
    pub backoff: Backoff,
}

impl ToolUse {
    pub(crate) fn new(tool: ToolNo, manifest: &Manifest) -> Self {
        Self {
            tool,
            class: manifest.cost_class,
            effects: manifest.effects,
            timeout: manifest.timeout,
            retries: manifest.retries,
            backoff: manifest.backoff,
        }
    }
}

/// What a submitted graph is, beside its nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphSpec {
    /// The name, which is also the submission's idempotency key.
    pub id: Name,
    /// What a failed node does to the rest.
    pub on_failure: OnFailure,
    /// What an expired node does to the rest.
    pub on_deadline: OnDeadline,
}

/// The immutable part of a submitted graph, by columns: the names of all nodes in one piece of memory, all arguments in
/// another, and so on. A node is a row; [`NodeSpec`] reads one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    graph: GraphSpec,
    tools: Vec<ToolUse>,
    tool_names: Vec<Name>,
    kinds: Vec<Kind>,
    pointers: Vec<Arc<str>>,
    names: Texts,
    args: Texts,
    references: Rows<PackedReference>,
    after: Rows<PackedDependency>,
    kind_of: Vec<u32>,
    /// The nodes of each kind that has a deadline.
    with_deadline: Rows<NodeNo>,
    first_instance: Vec<u32>,
    successors: Rows<Successor>,
    dependencies: Vec<u32>,
    by_name: Vec<NodeNo>,
    digest: Memo<[u8; 32]>,
}

impl Shape {
    /// Compiles a sound graph; `tool` tells how it uses each tool by name. O(n log n) in nodes and dependencies.
    ///
    /// # Errors
    /// The names of the tools for which `tool` has no answer, in order.
    pub(crate) fn new(graph: Graph, tool: impl Fn(&str) -> Option<ToolUse>) -> Result<Self, Vec<Name>> {
        Outline::new(graph).using(tool)
    }

    /// What the graph is, beside its nodes.
    pub fn graph(&self) -> &GraphSpec {
        &self.graph
    }

    /// The number of nodes.
    pub fn node_count(&self) -> usize {
        self.names.len()
    }

    /// A node; `None` if there is no such number.
    pub fn node(&self, node: NodeNo) -> Option<NodeSpec<'_>> {
        ((node.0 as usize) < self.node_count()).then(|| NodeSpec::new(self, node))
    }

    /// All nodes with their numbers, in submission order.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeNo, NodeSpec<'_>)> {
        (0..).map(NodeNo).take(self.node_count()).map(|no| (no, NodeSpec::new(self, no)))
    }

    /// The node with that name. O(log n).
    pub fn node_named(&self, name: &str) -> Option<NodeNo> {
        let id = |no: &NodeNo| self.names.get(no.0 as usize);
        let place = self.by_name.binary_search_by(|no| id(no).cmp(name)).ok()?;
        self.by_name.get(place).copied()
    }

    fn kind(&self, node: NodeNo) -> &Kind {
        &self.kinds[self.kind_of[node.0 as usize] as usize]
    }

    /// How the graph uses the tool of a node.
    pub fn tool(&self, node: NodeNo) -> &ToolUse {
        &self.tools[self.kind(node).tool as usize]
    }

    /// Whether an attempt at a node must never be repeated by itself.
    pub(crate) fn is_irrevocable(&self, node: NodeNo) -> bool {
        self.tool(node).effects == EffectClass::Irrevocable
    }

    /// The only forager that may run a node, and when it expires.
    pub(crate) fn pin_and_deadline(&self, node: NodeNo) -> (Option<&Name>, Option<WallTime>) {
        let kind = self.kind(node);
        (kind.pin.as_ref(), kind.deadline)
    }

    /// The kinds of nodes that have a deadline, and that.
    pub(crate) fn deadlines(&self) -> impl Iterator<Item = (u32, WallTime)> {
        (0..).zip(&self.kinds).filter_map(|(number, kind)| Some((number, kind.deadline?)))
    }

    /// The nodes of a kind that has a deadline.
    pub(crate) fn with_deadline(&self, kind: u32) -> &[NodeNo] {
        self.with_deadline.get(kind as usize)
    }

    /// Whether a node is pinned to that forager. O(kinds of nodes).
    pub(crate) fn pins(&self, forager: &Name) -> bool {
        self.kinds.iter().any(|kind| kind.pin.as_ref() == Some(forager))
    }

    /// Every tool of the graph, once.
    pub fn tools(&self) -> &[ToolUse] {
        &self.tools
    }

    /// The longest run of an attempt at a node.
    pub fn timeout(&self, node: NodeNo) -> Span {
        self.kind(node).timeout.unwrap_or(self.tool(node).timeout)
    }

    /// The further tries that a node has after the first.
    pub fn retries(&self, node: NodeNo) -> u32 {
        self.kind(node).retries.unwrap_or(self.tool(node).retries)
    }

    /// The number of instances of all nodes.
    pub fn instance_count(&self) -> u32 {
        self.first_instance.last().copied().unwrap_or(0)
    }

    /// The number of instances of a node; none, if there is no such node.
    pub fn instances(&self, node: NodeNo) -> u32 {
        let at = node.0 as usize;
        self.first_instance.get(at + 1).map_or(0, |end| end - self.first_instance[at])
    }

    /// The position of an instance among all instances of the graph; `None` if there is no such instance.
    pub(crate) fn position(&self, node: NodeNo, index: u32) -> Option<usize> {
        (index < self.instances(node)).then(|| self.first_instance[node.0 as usize] as usize + index as usize)
    }

    /// The positions of a run of instances that exist; see [`Shape::position`].
    pub(crate) fn positions(&self, instances: &Instances) -> Option<Range<usize>> {
        let first = self.first_instance.get(instances.node.0 as usize).filter(|_| self.contains(instances))?;
        let start = (first + instances.start) as usize;
        Some(start..start + instances.len as usize)
    }

    /// Whether a run names only instances that exist.
    pub(crate) fn contains(&self, instances: &Instances) -> bool {
        let end = instances.start.checked_add(instances.len);
        instances.len > 0 && end.is_some_and(|end| end <= self.instances(instances.node))
    }

    /// The number of different dependencies of a node.
    pub(crate) fn dependency_count(&self, node: NodeNo) -> u32 {
        self.dependencies[node.0 as usize]
    }

    /// Whether anything waits for a node, or for an instance of it.
    pub(crate) fn has_successors(&self, node: NodeNo) -> bool {
        !self.successors.get(node.0 as usize).is_empty()
    }

    /// Those that wait for all instances of a node.
    pub(crate) fn successors_of_all(&self, node: NodeNo) -> &[Successor] {
        let all = self.successors.get(node.0 as usize);
        &all[..all.partition_point(|successor| successor.which == Which::ALL)]
    }

    /// Those that wait for one instance of a node.
    pub(crate) fn successors_of_one(&self, node: NodeNo, index: u32) -> &[Successor] {
        let (all, one) = (self.successors.get(node.0 as usize), Which::from(Some(index)));
        let from = all.partition_point(|successor| successor.which < one);
        let to = all.partition_point(|successor| successor.which <= one);
        &all[from..to]
    }

    /// The digest of what it is, which `compute` tells once.
    pub(crate) fn digest(&self, compute: impl FnOnce() -> [u8; 32]) -> &[u8; 32] {
        self.digest.of(compute)
    }

    /// The bytes that it takes.
    pub(crate) fn bytes(&self) -> usize {
        let columns = self.kind_of.capacity()
            + self.first_instance.capacity()
            + self.dependencies.capacity()
            + self.by_name.capacity();
        let lists = self.references.bytes() + self.after.bytes() + self.successors.bytes() + self.with_deadline.bytes();
        let pointers: usize = self.pointers.iter().map(|pointer| size_of::<Arc<str>>() + of_text(pointer)).sum();
        self.names.bytes()
            + self.args.bytes()
            + lists
            + pointers
            + columns * size_of::<u32>()
            + self.kinds.capacity() * size_of::<Kind>()
            + self.tools.capacity() * size_of::<ToolUse>()
    }
}
