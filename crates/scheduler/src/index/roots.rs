//! What of a new graph is ready at once, put in order before it is known which numbers graph and tools get.

use std::collections::BTreeMap;

use antfarm_model::{GraphNo, NodeNo};

use super::ready::{Bucket, Lane, NEVER, ReadyQueues};
use crate::shape::{Outline, QueueKey, Shape};

/// Nodes that are ready as soon as their graph is there, by the queue in which they wait, each with the number of their
/// instances.
#[derive(Debug, Default)]
pub(crate) struct Roots(BTreeMap<QueueKey, (Bucket, u64)>);

impl Roots {
    /// All instances of these nodes, which rise. O(n log n).
    pub(crate) fn of(outline: &Outline, nodes: &[NodeNo]) -> Self {
        let mut of_kinds: BTreeMap<u32, Vec<NodeNo>> = BTreeMap::new();
        for node in nodes {
            of_kinds.entry(outline.kind_of(*node)).or_default().push(*node);
        }
        let mut of_queues: BTreeMap<QueueKey, Vec<NodeNo>> = BTreeMap::new();
        for (kind, nodes) in of_kinds {
            of_queues.entry(outline.queue_of(kind)).or_default().extend(nodes);
        }
        let bucket = |nodes: Vec<NodeNo>| {
            let run = |node| ((node, 0), outline.shape().instances(node));
            let bucket: Bucket = nodes.into_iter().map(run).collect();
            let size = bucket.values().map(|len| u64::from(*len)).sum();
            (bucket, size)
        };
        Self(of_queues.into_iter().map(|(key, nodes)| (key, bucket(nodes))).collect())
    }
}

impl ReadyQueues {
    /// Adds what is ready at once of a graph that is new. O(log n) for each queue.
    pub(crate) fn add_roots(&mut self, graph: GraphNo, shape: &Shape, roots: Roots) {
        for ((tool, pin, deadline), (bucket, size)) in roots.0 {
            let tool = &shape.tools()[tool as usize];
            let key = (tool.class.index(), Lane { tool: tool.tool, pin }, deadline.unwrap_or(NEVER));
            self.attach(graph, key, bucket, size);
        }
    }
}
