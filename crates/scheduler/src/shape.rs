//! What never changes of a submitted graph: its nodes, their tools as they were at submission, and who waits for whom.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use antfarm_model::{Backoff, CostClass, Dependency, EffectClass, Graph, Manifest, Name, Node, NodeNo, Span, ToolNo};
use serde::{Deserialize, Serialize};

use crate::instances::Instances;

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

/// A node that waits for another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Successor {
    /// The instance it waits for; all of them, if none.
    pub index: Option<u32>,
    /// The node that waits.
    pub node: NodeNo,
    /// Whether it needs the result, or only the order.
    pub needs_result: bool,
}

/// The immutable part of a submitted graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    graph: Graph,
    tools: Vec<ToolUse>,
    tool_of: Vec<u32>,
    first_instance: Vec<u32>,
    successors: Vec<Successor>,
    first_successor: Vec<u32>,
    dependencies: Vec<u32>,
    by_name: Vec<NodeNo>,
    pins: BTreeSet<Name>,
}

impl Shape {
    /// Compiles a graph; `tool` tells how it uses each tool by name. O(n log n) in nodes and dependencies.
    ///
    /// # Errors
    /// The position of the first node for whose tool `tool` has no answer.
    pub(crate) fn new(graph: Graph, tool: impl Fn(&str) -> Option<ToolUse>) -> Result<Self, NodeNo> {
        let mut tools: Vec<ToolUse> = Vec::new();
        let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
        let mut tool_of = Vec::with_capacity(graph.nodes.len());
        let mut first_instance = Vec::with_capacity(graph.nodes.len() + 1);
        let mut instances = 0;
        let mut edges: Vec<(NodeNo, Successor)> = Vec::new();
        let mut dependencies = Vec::with_capacity(graph.nodes.len());
        for (no, node) in numbered(&graph.nodes) {
            let name = node.tool.as_str();
            let number = if let Some(number) = numbers.get(name) {
                *number
            } else {
                tools.push(tool(name).ok_or(no)?);
                let number = u32::try_from(tools.len() - 1).expect("there are no more tools than nodes");
                numbers.insert(name, number);
                number
            };
            tool_of.push(number);
            first_instance.push(instances);
            instances += node.instances();
            let wanted = dependencies_of(node);
            dependencies.push(u32::try_from(wanted.len()).expect("a graph's text is bounded"));
            edges.extend(
                wanted
                    .into_iter()
                    .map(|(of, needs_result)| (of.node, Successor { index: of.index, node: no, needs_result })),
            );
        }
        first_instance.push(instances);
        edges.sort_unstable();
        let mut first_successor = vec![0; graph.nodes.len() + 1];
        for (of, _) in &edges {
            first_successor[of.0 as usize + 1] += 1;
        }
        for position in 1..first_successor.len() {
            first_successor[position] += first_successor[position - 1];
        }
        let successors = edges.into_iter().map(|(_, successor)| successor).collect();
        let mut by_name: Vec<NodeNo> = numbered(&graph.nodes).map(|(no, _)| no).collect();
        by_name.sort_unstable_by_key(|no| &graph.nodes[no.0 as usize].id);
        let pins = graph.nodes.iter().filter_map(|node| node.pin.clone()).collect();
        Ok(Self { graph, tools, tool_of, first_instance, successors, first_successor, dependencies, by_name, pins })
    }

    /// The graph as it was submitted.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// A node; `None` if there is no such number.
    pub fn node(&self, node: NodeNo) -> Option<&Node> {
        self.graph.nodes.get(node.0 as usize)
    }

    /// All nodes with their numbers, in submission order.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeNo, &Node)> {
        numbered(&self.graph.nodes)
    }

    /// The node with that name. O(log n).
    pub fn node_named(&self, name: &str) -> Option<NodeNo> {
        let id = |no: &NodeNo| self.graph.nodes[no.0 as usize].id.as_str();
        let place = self.by_name.binary_search_by(|no| id(no).cmp(name)).ok()?;
        self.by_name.get(place).copied()
    }

    /// How the graph uses the tool of a node.
    pub fn tool(&self, node: NodeNo) -> &ToolUse {
        &self.tools[self.tool_of[node.0 as usize] as usize]
    }

    /// Whether an attempt at a node must never be repeated by itself.
    pub(crate) fn is_irrevocable(&self, node: NodeNo) -> bool {
        self.tool(node).effects == EffectClass::Irrevocable
    }

    /// Whether a node is pinned to that forager.
    pub(crate) fn pins(&self, forager: &Name) -> bool {
        self.pins.contains(forager)
    }

    /// Every tool of the graph, once.
    pub fn tools(&self) -> &[ToolUse] {
        &self.tools
    }

    /// The longest run of an attempt at a node.
    pub fn timeout(&self, node: NodeNo) -> Span {
        self.graph.nodes[node.0 as usize].timeout.unwrap_or(self.tool(node).timeout)
    }

    /// The further tries that a node has after the first.
    pub fn retries(&self, node: NodeNo) -> u32 {
        self.graph.nodes[node.0 as usize].retries.unwrap_or(self.tool(node).retries)
    }

    /// The number of instances of all nodes.
    pub fn instance_count(&self) -> u32 {
        self.first_instance.last().copied().unwrap_or(0)
    }

    /// The positions of a node's instances among all instances of the graph.
    pub(crate) fn positions(&self, node: NodeNo) -> Range<usize> {
        let at = node.0 as usize;
        self.first_instance[at] as usize..self.first_instance[at + 1] as usize
    }

    /// Whether a run names only instances that exist.
    pub(crate) fn contains(&self, instances: &Instances) -> bool {
        let end = instances.start.checked_add(instances.len);
        let node = self.node(instances.node);
        instances.len > 0 && node.zip(end).is_some_and(|(node, end)| end <= node.instances())
    }

    /// The number of different dependencies of a node.
    pub(crate) fn dependency_count(&self, node: NodeNo) -> u32 {
        self.dependencies[node.0 as usize]
    }

    /// Those that wait for all instances of a node.
    pub(crate) fn successors_of_all(&self, node: NodeNo) -> &[Successor] {
        let all = self.successors(node);
        &all[..all.partition_point(|successor| successor.index.is_none())]
    }

    /// Those that wait for one instance of a node.
    pub(crate) fn successors_of_one(&self, node: NodeNo, index: u32) -> &[Successor] {
        let all = self.successors(node);
        let from = all.partition_point(|successor| successor.index < Some(index));
        let to = all.partition_point(|successor| successor.index <= Some(index));
        &all[from..to]
    }

    fn successors(&self, node: NodeNo) -> &[Successor] {
        let at = node.0 as usize;
        &self.successors[self.first_successor[at] as usize..self.first_successor[at + 1] as usize]
    }
}

fn numbered(nodes: &[Node]) -> impl Iterator<Item = (NodeNo, &Node)> {
    (0..).map(NodeNo).zip(nodes)
}

/// The different dependencies of a node, and whether their results are needed.
pub(crate) fn dependencies_of(node: &Node) -> BTreeMap<Dependency, bool> {
    let mut all: BTreeMap<Dependency, bool> = node.after.iter().map(|of| (*of, false)).collect();
    all.extend(node.args.references.iter().map(|reference| (reference.of, true)));
    all
}
