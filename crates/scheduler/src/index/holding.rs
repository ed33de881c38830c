//! Which foragers hold open attempts of which graph.

use std::collections::BTreeMap;

use antfarm_model::{ForagerNo, GraphNo};

/// How many open attempts of a graph a forager has, where it has any. Which those are, the forager's record says.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Holding {
    of: BTreeMap<(GraphNo, ForagerNo), usize>,
    total: usize,
}

impl Holding {
    /// An attempt was opened.
    pub(crate) fn open(&mut self, graph: GraphNo, forager: ForagerNo) {
        *self.of.entry((graph, forager)).or_default() += 1;
        self.total += 1;
    }

    /// An attempt was closed.
    pub(crate) fn close(&mut self, graph: GraphNo, forager: ForagerNo) {
        let Some(count) = self.of.get_mut(&(graph, forager)) else { return };
        *count -= 1;
        self.total -= 1;
        if *count == 0 {
            self.of.remove(&(graph, forager));
        }
    }

    /// The foragers that hold attempts of a graph, in registry order.
    pub(crate) fn holders(&self, graph: GraphNo) -> impl Iterator<Item = ForagerNo> {
        self.of.range((graph, ForagerNo(0))..=(graph, ForagerNo(u32::MAX))).map(|((_, forager), _)| *forager)
    }

    /// The open attempts of all graphs.
    pub(crate) fn total(&self) -> usize {
        self.total
    }
}
