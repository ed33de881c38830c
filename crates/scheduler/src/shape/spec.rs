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
