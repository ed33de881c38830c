//! What the compiled form of a graph must keep, wherever its bytes come from.

use crate::{Dependency, Graph, Node, NodeNo, Reference};

/// Why a [`Graph`] must not be used: it was not made by this library, or its bytes are damaged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unsound {
    /// There is no node, or a node without an instance.
    #[error("the graph, or one of its nodes, is empty")]
    Empty,
    /// There are more instances than can be numbered.
    #[error("the graph has more than {} instances", Graph::MAX_INSTANCES)]
    TooManyInstances,
    /// A node depends on something that is not there.
    #[error("node {0} depends on something that is not there")]
    Dependency(NodeNo),
    /// A reference does not stand where the arguments have a place for it.
    #[error("the arguments of node {0} have no place for one of their references")]
    Reference(NodeNo),
    /// Nodes wait for each other.
    #[error("nodes wait for each other")]
    Cycle,
}

impl Graph {
    /// Instances that a graph may have at most, whatever the configured limits say.
    pub const MAX_INSTANCES: u32 = 1 << 28;

    /// Checks everything that those rely on who use a graph: a parsed one keeps it. O(n) in nodes and dependencies.
    pub fn check_sound(&self) -> Result<(), Unsound> {
        if self.nodes.is_empty() || self.nodes.iter().any(|node| node.instances() == 0) {
            return Err(Unsound::Empty);
        }
        let instances: u64 = self.nodes.iter().map(|node| u64::from(node.instances())).sum();
        if instances > u64::from(Self::MAX_INSTANCES) {
            return Err(Unsound::TooManyInstances);
        }
        for (no, node) in (0..).map(NodeNo).zip(&self.nodes) {
            if node.dependencies().any(|of| !self.has(of)) {
                return Err(Unsound::Dependency(no));
            }
            if !places_exist(node) {
                return Err(Unsound::Reference(no));
            }
        }
        if self.is_acyclic() { Ok(()) } else { Err(Unsound::Cycle) }
    }

    fn has(&self, of: Dependency) -> bool {
        let node = self.nodes.get(of.node.0 as usize);
        node.is_some_and(|node| of.index.is_none_or(|index| index < node.instances()))
    }

    /// Kahn's algorithm (Topological sorting of large networks, 1962).
    fn is_acyclic(&self) -> bool {
        let mut waits_for = vec![0_usize; self.nodes.len()];
        let mut waited_for_by: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for (no, node) in self.nodes.iter().enumerate() {
            for of in node.dependencies() {
                waits_for[no] += 1;
                waited_for_by[of.node.0 as usize].push(no);
            }
        }
        let mut free: Vec<usize> = (0..self.nodes.len()).filter(|no| waits_for[*no] == 0).collect();
        let mut ordered = 0;
        while let Some(no) = free.pop() {
            ordered += 1;
            for next in &waited_for_by[no] {
                waits_for[*next] -= 1;
                if waits_for[*next] == 0 {
                    free.push(*next);
                }
            }
        }
        ordered == self.nodes.len()
    }
}

impl Node {
    fn dependencies(&self) -> impl Iterator<Item = Dependency> {
        self.after.iter().copied().chain(self.args.references.iter().map(|reference| reference.of))
    }
}

/// Whether each reference has a place of its own, in order.
fn places_exist(node: &Node) -> bool {
    let mut end = 0;
    node.args.references.iter().all(|reference| {
        let at = reference.at as usize;
        let fits = at >= end && node.args.json.get(at..).is_some_and(|rest| rest.starts_with(Reference::PLACEHOLDER));
        end = at + Reference::PLACEHOLDER.len();
        fits
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, document};

    fn graph() -> Graph {
        let text = r#"{"id": "g", "nodes": {"a": {"tool": "t", "array": {"count": 2}},
            "b": {"tool": "t", "args": [{"$ref": "a[1]"}, {"$ref": "a"}]}, "c": {"tool": "t", "after": ["b"]}}}"#;
        document::graph(text.as_bytes(), &Limits::default()).expect("a good graph")
    }

    fn spoilt(spoil: impl FnOnce(&mut Vec<Node>)) -> Result<(), Unsound> {
        let mut graph = graph();
        spoil(&mut graph.nodes);
        graph.check_sound()
    }

    #[test]
    fn a_parsed_graph_is_sound() {
        assert_eq!(graph().check_sound(), Ok(()));
    }

    #[test]
    fn what_could_not_be_used_is_named() {
        let of = |node, index| Dependency { node: NodeNo(node), index };
        assert_eq!(spoilt(Vec::clear), Err(Unsound::Empty));
        assert_eq!(spoilt(|nodes| nodes[0].array = Some(0)), Err(Unsound::Empty));
        assert_eq!(spoilt(|nodes| nodes[0].array = Some(u32::MAX)), Err(Unsound::TooManyInstances));
        assert_eq!(spoilt(|nodes| nodes[2].after = vec![of(9, None)]), Err(Unsound::Dependency(NodeNo(2))));
        assert_eq!(spoilt(|nodes| nodes[2].after = vec![of(0, Some(2))]), Err(Unsound::Dependency(NodeNo(2))));
        assert_eq!(spoilt(|nodes| nodes[1].args.references[1].at = 99), Err(Unsound::Reference(NodeNo(1))));
        assert_eq!(spoilt(|nodes| nodes[1].args.references[1].at = 1), Err(Unsound::Reference(NodeNo(1))));
        assert_eq!(spoilt(|nodes| nodes[0].after = vec![of(2, None)]), Err(Unsound::Cycle));
    }
}
