//! A shape before it is known how its tools are to be used: everything that a graph says by itself.

use antfarm_model::{Graph, Name, NodeNo, WallTime};

use super::builder::Builder;
use super::{GraphSpec, Shape, ToolUse};

/// A [`Shape`] without the uses of its tools, which depend on the state when the graph is submitted.
#[derive(Debug)]
pub(crate) struct Outline(Shape);

/// What decides in which queue a node waits: the position of its tool among those of the graph, its pin and its deadline.
pub(crate) type QueueKey = (u32, Option<Name>, Option<WallTime>);

impl Outline {
    /// Compiles a sound graph. O(n log n) in nodes and dependencies.
    pub(crate) fn new(graph: Graph) -> Self {
        let Graph { id, on_failure, on_deadline, nodes } = graph;
        let mut builder = Builder::new(GraphSpec { id, on_failure, on_deadline }, nodes.len());
        for node in nodes {
            builder.add(&node);
        }
        Self(builder.finish())
    }

    /// All of it that has nothing to do with tools.
    pub(crate) fn shape(&self) -> &Shape {
        &self.0
    }

    /// What nodes have in common is kept once; the number under which a node has it.
    pub(crate) fn kind_of(&self, node: NodeNo) -> u32 {
        self.0.kind_of[node.0 as usize]
    }

    /// Where the nodes of a kind wait.
    pub(crate) fn queue_of(&self, kind: u32) -> QueueKey {
        let kind = &self.0.kinds[kind as usize];
        (kind.tool, kind.pin.clone(), kind.deadline)
    }

    /// The whole shape; `tool` tells how it uses each tool by name. O(tools).
    ///
    /// # Errors
    /// The names of the tools for which `tool` has no answer, in order.
    pub(crate) fn using(self, tool: impl Fn(&str) -> Option<ToolUse>) -> Result<Shape, Vec<Name>> {
        let Self(mut shape) = self;
        let (mut uses, mut unknown) = (Vec::with_capacity(shape.tool_names.len()), Vec::new());
        for name in &shape.tool_names {
            match tool(name.as_str()) {
                Some(known) => uses.push(known),
                None => unknown.push(name.clone()),
            }
        }
        unknown.sort_unstable();
        shape.tools = uses;
        if unknown.is_empty() { Ok(shape) } else { Err(unknown) }
    }
}
