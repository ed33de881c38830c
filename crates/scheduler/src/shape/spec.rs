//! One node of a graph, as it was submitted, read out of the compact form.

use std::collections::BTreeMap;

use antfarm_model::{Args, Dependency, Name, Node, NodeNo, Reference, Span, WallTime};

use super::Shape;

/// A node as it was submitted. Cheap to make and to copy: it borrows everything from its [`Shape`].
#[derive(Debug, Clone, Copy)]
pub struct NodeSpec<'a> {
    shape: &'a Shape,
    no: NodeNo,
    /// The name, unique in its graph.
    pub id: &'a str,
    /// The tool that it calls.
    pub tool: &'a Name,
    /// After this moment the node expires.
    pub deadline: Option<WallTime>,
    /// Before this moment the node is not ready.
    pub not_before: Option<WallTime>,
    /// The longest run of an attempt; the manifest's, if none.
    pub timeout: Option<Span>,
    /// Further tries after the first; the manifest's, if none.
    pub retries: Option<u32>,
    /// The only forager that may run it.
    pub pin: Option<&'a Name>,
    /// The number of instances, at least 1, if the node is an array.
    pub array: Option<u32>,
}

impl<'a> NodeSpec<'a> {
    pub(super) fn new(shape: &'a Shape, no: NodeNo) -> Self {
        let kind = shape.kind(no);
        Self {
            shape,
            no,
            id: shape.names.get(no.0 as usize),
            tool: &shape.tool_names[kind.tool as usize],
            deadline: kind.deadline,
            not_before: kind.not_before,
            timeout: kind.timeout,
            retries: kind.retries,
            pin: kind.pin.as_ref(),
            array: kind.array,
        }
    }

    /// The name by itself. Allocates.
    pub fn name(&self) -> Name {
        Name::new(self.id).expect("it was a name when the graph was submitted")
    }

    /// The number of instances: 1, unless the node is an array.
    pub fn instances(&self) -> u32 {
        self.array.unwrap_or(1)
    }

    /// The arguments as JSON text. Where a reference stands, there is `null`.
    pub fn json(&self) -> &'a str {
        self.shape.args.get(self.no.0 as usize)
    }

    /// The references in the arguments, by rising position.
    pub fn references(&self) -> impl ExactSizeIterator<Item = Reference> + use<'a> {
        let Self { shape, no, .. } = *self;
        shape.references.get(no.0 as usize).iter().map(|packed| Reference {
            at: packed.at,
            of: packed.of.into(),
            pointer: packed.pointer.index().map(|row| shape.pointers[row as usize].clone()),
        })
    }

    /// Nodes that must have succeeded before and whose results are not used.
    pub fn after(&self) -> impl ExactSizeIterator<Item = Dependency> + use<'a> {
        self.shape.after.get(self.no.0 as usize).iter().copied().map(Dependency::from)
    }

    /// The different dependencies, and whether their results are needed.
    pub(crate) fn dependencies(&self) -> BTreeMap<Dependency, bool> {
        dependencies_of(self.after(), self.references().map(|reference| reference.of))
    }

    /// The node by itself, in the form in which it was submitted.
    pub(crate) fn to_node(self) -> Node {
        Node {
            id: self.name(),
            tool: self.tool.clone(),
            args: Args { json: self.json().into(), references: self.references().collect() },
            after: self.after().collect(),
            deadline: self.deadline,
            not_before: self.not_before,
            timeout: self.timeout,
            retries: self.retries,
            pin: self.pin.cloned(),
            array: self.array,
        }
    }
}

/// What a node depends on, each once, and whether its result is needed.
pub(super) fn dependencies_of(
    after: impl Iterator<Item = Dependency>,
    references: impl Iterator<Item = Dependency>,
) -> BTreeMap<Dependency, bool> {
    after.map(|of| (of, false)).chain(references.map(|of| (of, true))).collect()
}

#[cfg(test)]
mod tests {
    use antfarm_model::{Graph, Limits, Manifest, ToolNo, document};

    use super::*;
    use crate::shape::ToolUse;

    fn graph() -> Graph {
        let text = r#"{"id": "g", "on_failure": "continue", "nodes": {
            "fan": {"tool": "noop", "array": {"count": 3}, "deadline": "2026-12-01T06:00:00Z"},
            "b": {"tool": "echo", "args": {"é": [{"$ref": "fan[1]#/x"}, {"$ref": "fan"}]}, "pin": "f-1", "retries": 7},
            "c": {"tool": "noop", "after": ["b", "fan[0]"], "timeout": "2m", "not_before": "2026-12-01T05:00:00Z"},
            "a": {"tool": "noop", "args": {"$ref": "b#/x"}, "deadline": "2026-12-01T06:00:00Z"}}}"#;
        document::graph(text.as_bytes(), &Limits::default()).expect("a good graph")
    }

    fn shape() -> Shape {
        let built_in = Manifest::built_in();
        let tool = |name: &str| built_in.iter().find(|tool| tool.name.as_str() == name);
        Shape::new(graph(), |name| Some(ToolUse::new(ToolNo(0), tool(name)?))).expect("both are built in")
    }

    #[test]
    fn nodes_come_out_of_their_columns_as_they_went_in() {
        let (graph, shape) = (graph(), shape());
        assert!(shape.nodes().map(|(_, spec)| spec.to_node()).eq(graph.nodes));
        assert!(shape.node(NodeNo(4)).is_none() && shape.instances(NodeNo(4)) == 0);
    }

    #[test]
    fn nodes_are_found_by_name_by_who_needs_them_and_by_their_deadline() {
        let shape = shape();
        let found = ["fan", "b", "c", "a", "d"].map(|name| shape.node_named(name).map(|node| node.0));
        assert_eq!(found, [Some(0), Some(1), Some(2), Some(3), None]);
        let names = |successors: &[crate::shape::packed::Successor]| successors.iter().map(|one| one.node.0).collect();
        let waiting: [Vec<u32>; 4] = [
            names(shape.successors_of_all(NodeNo(0))),
            names(shape.successors_of_one(NodeNo(0), 0)),
            names(shape.successors_of_one(NodeNo(0), 1)),
            names(shape.successors_of_all(NodeNo(1))),
        ];
        assert_eq!(waiting, [vec![1], vec![2], vec![1], vec![2, 3]]);
        let dependencies = (0..4).map(|node| shape.dependency_count(NodeNo(node)));
        assert!(dependencies.eq([0, 2, 2, 1]));
        let positions = [(0, 2), (0, 3), (3, 0)].map(|(node, index)| shape.position(NodeNo(node), index));
        assert_eq!(positions, [Some(2), None, Some(5)]);
        let with_deadline: Vec<&[NodeNo]> = shape.deadlines().map(|(kind, _)| shape.with_deadline(kind)).collect();
        assert_eq!(with_deadline, [&[NodeNo(0)][..], &[NodeNo(3)][..]], "an array is a kind of its own");
    }

    #[test]
    fn a_node_takes_what_its_texts_take_and_little_more() {
        let node = |number: u32| Node {
            id: Name::new(&format!("n{number:019}")).expect("a name"),
            args: Args { json: "x".repeat(100).into(), references: Vec::new() },
            after: Vec::new(),
            ..graph().nodes.swap_remove(0)
        };
        let many = |nodes: u32| Graph { nodes: (0..nodes).map(node).collect(), ..graph() };
        let tool = ToolUse::new(ToolNo(0), &Manifest::built_in()[0]);
        let bytes = |nodes| Shape::new(many(nodes), |_| Some(tool.clone())).expect("the tool is known").bytes();
        let each = (bytes(2_000) - bytes(1_000)) / 1_000;
        assert_eq!(each, 120 + 10 * size_of::<u32>(), "two texts, and a number in each of ten columns");
    }
}
