//! Compiles a graph node by node into the columns of a [`Shape`].

use std::sync::Arc;

use antfarm_model::{Dependency, Name, Node, NodeNo};

use super::kind::{Distinct, Kind};
use super::packed::{PackedReference, Successor, Which};
use super::spec::dependencies_of;
use super::{GraphSpec, Shape};
use crate::memo::Memo;
use crate::rows::{Rows, Texts};

/// A shape whose nodes are being added.
pub(super) struct Builder {
    shape: Shape,
    tool_names: Distinct<Name>,
    kinds: Distinct<Kind>,
    pointers: Distinct<Arc<str>>,
    /// Who waits for which node.
    edges: Vec<(NodeNo, Successor)>,
    instances: u32,
}

impl Builder {
    /// A graph that is to have so many nodes.
    pub(super) fn new(graph: GraphSpec, nodes: usize) -> Self {
        let shape = Shape {
            graph,
            tools: Vec::new(),
            tool_names: Vec::new(),
            kinds: Vec::new(),
            pointers: Vec::new(),
            names: Texts::with_capacity(nodes),
            args: Texts::with_capacity(nodes),
            references: Rows::with_capacity(nodes),
            after: Rows::with_capacity(nodes),
            kind_of: Vec::with_capacity(nodes),
            with_deadline: Rows::with_capacity(0),
            first_instance: Vec::with_capacity(nodes + 1),
            successors: Rows::with_capacity(nodes),
            dependencies: Vec::with_capacity(nodes),
            by_name: Vec::new(),
            digest: Memo::default(),
        };
        let (tool_names, kinds, pointers) = (Distinct::new(), Distinct::new(), Distinct::new());
        Self { shape, tool_names, kinds, pointers, edges: Vec::new(), instances: 0 }
    }

    /// Adds a node behind the others.
    pub(super) fn add(&mut self, node: &Node) {
        let shape = &mut self.shape;
        let no = NodeNo(u32::try_from(shape.names.len()).expect("a sound graph has at most 2²⁸ instances"));
        let number = self.tool_names.number(node.tool.clone());
        shape.kind_of.push(self.kinds.number(Kind::new(number, node)));
        shape.names.push(node.id.as_str());
        shape.args.push(&node.args.json);
        let pointers = &mut self.pointers;
        shape.references.push(node.args.references.iter().map(|reference| PackedReference {
            at: reference.at,
            of: reference.of.into(),
            pointer: reference.pointer.as_ref().map(|pointer| pointers.number(Arc::clone(pointer))).into(),
        }));
        shape.after.push(node.after.iter().map(|of| (*of).into()));
        shape.first_instance.push(self.instances);
        self.instances += node.instances();
        let references = node.args.references.iter().map(|reference| reference.of);
        let wanted = dependencies_of(node.after.iter().copied(), references);
        shape.dependencies.push(u32::try_from(wanted.len()).expect("a graph's text is bounded"));
        let waits = |(of, needs_result): (Dependency, bool)| {
            (of.node, Successor { which: Which::from(of.index), node: no, needs_result })
        };
        self.edges.extend(wanted.into_iter().map(waits));
    }

    /// The shape of all nodes that were added; how it uses its tools is still to be said.
    pub(super) fn finish(self) -> Shape {
        let Self { mut shape, tool_names, kinds, pointers, mut edges, instances } = self;
        shape.first_instance.push(instances);
        shape.tool_names = tool_names.into_values();
        shape.kinds = kinds.into_values();
        shape.pointers = pointers.into_values();
        edges.sort_unstable();
        let mut edges = edges.into_iter().peekable();
        let mut by_name: Vec<NodeNo> = (0..).map(NodeNo).take(shape.node_count()).collect();
        for node in &by_name {
            shape.successors.push(std::iter::from_fn(|| edges.next_if(|(of, _)| of == node)).map(|(_, waits)| waits));
        }
        by_name.sort_unstable_by_key(|no| shape.names.get(no.0 as usize));
        shape.by_name = by_name;
        shape.with_deadline = with_deadline(&shape);
        shape.names.shrink();
        shape.args.shrink();
        shape.references.shrink();
        shape.after.shrink();
        shape.successors.shrink();
        shape.with_deadline.shrink();
        shape
    }
}

/// The nodes of each kind that has a deadline, and an empty list for each kind that has none.
fn with_deadline(shape: &Shape) -> Rows<NodeNo> {
    let has_deadline = |kind: u32| shape.kinds[kind as usize].deadline.is_some();
    let of_nodes = shape.kind_of.iter().copied().zip((0..).map(NodeNo));
    let mut nodes: Vec<(u32, NodeNo)> = of_nodes.filter(|(kind, _)| has_deadline(*kind)).collect();
    nodes.sort_unstable();
    let mut nodes = nodes.into_iter().peekable();
    let mut rows = Rows::with_capacity(shape.kinds.len());
    for (kind, _) in (0..).zip(&shape.kinds) {
        rows.push(std::iter::from_fn(|| nodes.next_if(|(of, _)| *of == kind)).map(|(_, node)| node));
    }
    rows
}
