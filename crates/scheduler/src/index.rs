//! What is derived from the state so that nothing has to be searched for.
//!
//! Not part of snapshots: [`Index::rebuild`] makes it anew, and `State::check` compares.

mod free;
mod holding;
mod ready;
mod roots;
mod timers;

use std::collections::{BTreeMap, BTreeSet};

use antfarm_model::{ForagerNo, GraphNo, LogIndex, Name, ToolNo};

pub(crate) use free::{FreeSlots, Wanted};
use holding::Holding;
pub(crate) use ready::{Head, Lane, ReadyQueues};
pub(crate) use roots::Roots;
pub(crate) use timers::{Timer, Timers};

use crate::memory;
use crate::state::Core;

/// All indexes.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Index {
    pub(crate) tools: BTreeMap<Name, ToolNo>,
    /// How many foragers have each tool.
    pub(crate) holders: BTreeMap<ToolNo, u32>,
    pub(crate) foragers: BTreeMap<Name, ForagerNo>,
    pub(crate) graphs: BTreeMap<Name, GraphNo>,
    pub(crate) holding: Holding,
    /// Graphs to which nothing more happens, the longest finished first.
    pub(crate) finished: BTreeSet<(antfarm_model::Elapsed, GraphNo)>,
    pub(crate) ready: ReadyQueues,
    pub(crate) timers: Timers,
    pub(crate) free: FreeSlots,
    pub(crate) changed: Changed,
}

impl Index {
    /// Derives all indexes from the state. O(n log n).
    pub(crate) fn rebuild(core: &Core) -> Self {
        let mut index = Self::default();
        for (no, tool) in &core.tools {
            index.tools.insert(tool.name.clone(), *no);
        }
        for forager in core.foragers.values() {
            for tool in forager.tools.iter() {
                *index.holders.entry(*tool).or_default() += 1;
            }
            index.foragers.insert(forager.name.clone(), forager.no);
            forager.attempts().for_each(|(id, _)| index.holding.open(id.instance.graph, forager.no));
            index.free.refresh(forager);
            index.changed.touch(forager.no, core.applied.index);
            index.timers.add_forager(core, forager);
        }
        for graph in core.graphs.values() {
            index.graphs.insert(graph.shape().graph().id.clone(), graph.no);
            if let Some((_, elapsed)) = graph.finished_at {
                index.finished.insert((elapsed, graph.no));
            }
            index.ready.add_graph(graph);
            index.timers.add_graph(graph);
        }
        for (upload, parts) in &core.uploads {
            index.timers.at_elapsed(parts.dropped_at, Timer::Upload(*upload));
        }
        for (name, tombstone) in core.tombstones.iter() {
            index.timers.at_elapsed(tombstone.until, Timer::Tombstone(name.clone()));
        }
        index
    }
}

impl Index {
    /// The bytes that the indexes of work take. O(graphs).
    pub(crate) fn bytes(&self) -> usize {
        self.holding.bytes() + memory::of_map(&self.graphs) + self.ready.bytes() + self.timers.bytes()
    }
}

/// When foragers, or what they should run, changed last.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Changed {
    of: BTreeMap<ForagerNo, LogIndex>,
    order: BTreeSet<(LogIndex, ForagerNo)>,
}

impl Changed {
    pub(crate) fn touch(&mut self, forager: ForagerNo, index: LogIndex) {
        if let Some(before) = self.of.insert(forager, index) {
            self.order.remove(&(before, forager));
        }
        self.order.insert((index, forager));
    }

    pub(crate) fn forget(&mut self, forager: ForagerNo) {
        if let Some(before) = self.of.remove(&forager) {
            self.order.remove(&(before, forager));
        }
    }

    pub(crate) fn since(&self, index: LogIndex) -> impl Iterator<Item = ForagerNo> {
        self.order.range((LogIndex(index.0.saturating_add(1)), ForagerNo(0))..).map(|(_, forager)| *forager)
    }
}
