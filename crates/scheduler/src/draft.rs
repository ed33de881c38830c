//! A submitted graph that is read before its submission is applied, where that holds up nobody.
//!
//! What a draft holds follows from the bytes of the graph alone. So it makes no difference to what comes of a submission
//! who has read the graph, and when: with a draft of the same bytes, apply only links what is ready.

use std::sync::Arc;

use antfarm_model::{Graph, NodeNo};

use crate::chunked::Chunked;
use crate::command::GraphSource;
use crate::graph_record::{Counts, NodeProgress};
use crate::index::Roots;
use crate::instance::{Instance, InstanceState};
use crate::outcome::Refusal;
use crate::shape::{Outline, Shape};

/// A graph that was read, or why its bytes are none.
#[derive(Debug)]
pub struct Draft {
    parts: Vec<Arc<[u8]>>,
    /// Boxed, since it is moved while entries are held up.
    content: Box<Result<Content, Refusal>>,
}

/// The graph in the form in which it becomes part of the state.
#[derive(Debug)]
pub(crate) struct Content {
    /// Of the graph's canonical form.
    pub(crate) digest: [u8; 32],
    pub(crate) outline: Outline,
    pub(crate) counts: Counts,
    pub(crate) progress: Chunked<NodeProgress>,
    /// The instances of `ready` are so already.
    pub(crate) instances: Chunked<Instance>,
    /// Nodes that wait for nothing.
    pub(crate) ready: Vec<NodeNo>,
    /// The same, in the order in which they are given out.
    pub(crate) roots: Roots,
    /// Nodes that wait for nothing but a moment.
    pub(crate) later: Vec<NodeNo>,
}

/// Graphs that were read for the submissions of an entry.
#[derive(Debug, Default)]
pub struct Drafts(Vec<Draft>);

impl Draft {
    /// Reads the graph whose bytes are these, end to end. O(n log n).
    pub fn read(parts: Vec<Arc<[u8]>>) -> Self {
        let content = match parts.as_slice() {
            [whole] => Content::read(whole),
            parts => Content::read(&parts.concat()),
        };
        Self { parts, content: Box::new(content) }
    }

    /// What was read.
    pub(crate) fn into_content(self) -> Result<Content, Refusal> {
        *self.content
    }

    /// Whether it was read from these very pieces of memory, which never change.
    fn is_of(&self, parts: &[Arc<[u8]>]) -> bool {
        self.parts.len() == parts.len() && self.parts.iter().zip(parts).all(|(own, other)| Arc::ptr_eq(own, other))
    }
}

impl Drafts {
    /// Adds one.
    pub fn add(&mut self, draft: Draft) {
        self.0.push(draft);
    }

    /// The one of these bytes, if there is one.
    pub(crate) fn take(&mut self, parts: &[Arc<[u8]>]) -> Option<Draft> {
        let at = self.0.iter().position(|draft| draft.is_of(parts))?;
        Some(self.0.swap_remove(at))
    }
}

impl Content {
    fn read(bytes: &[u8]) -> Result<Self, Refusal> {
        let graph = GraphSource::decode(bytes).map_err(Refusal::BadGraph)?;
        graph.check_sound().map_err(Refusal::UnsoundGraph)?;
        Ok(Self::of(graph))
    }

    fn of(graph: Graph) -> Self {
        let digest = graph.digest();
        let outline = Outline::new(graph);
        let shape = outline.shape();
        let (mut ready, mut later) = (Vec::new(), Vec::new());
        let (mut counts, mut progress, mut instances) = (Counts::default(), Chunked::default(), Chunked::default());
        for (no, node) in shape.nodes() {
            let (unresolved, unsettled) = (shape.dependency_count(no), node.instances());
            let state = match (unresolved, node.not_before) {
                (0, None) => InstanceState::Ready,
                (_, _) => InstanceState::Waiting,
            };
            if unresolved == 0 {
                if state == InstanceState::Ready { &mut ready } else { &mut later }.push(no);
            }
            counts.add(state, unsettled);
            progress.push(NodeProgress { unresolved, unsettled, skipped: false });
            (0..unsettled).for_each(|_| instances.push(Instance::new(state)));
        }
        let roots = Roots::of(&outline, &ready);
        Self { digest, outline, counts, progress, instances, ready, roots, later }
    }

    /// What the graph says by itself.
    pub(crate) fn shape(&self) -> &Shape {
        self.outline.shape()
    }
}
