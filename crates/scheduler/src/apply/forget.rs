//! Forgets a forager that has been lost for long: its name, its tools, and its place in the registry order.

use std::collections::BTreeSet;

use antfarm_model::{Elapsed, ForagerNo, Name, Span};

use super::step::Step;
use crate::event::Event;
use crate::index::Timer;

/// How long a lost forager is remembered, and how long it then is while an unfinished graph pins a node to it.
const REMEMBERED: Span = Span::from_secs(7 * 24 * 3_600);

impl Step<'_> {
    /// A forager is lost: it is remembered for a while.
    pub(super) fn remember_for_a_while(&mut self, forager: ForagerNo) {
        self.remember(forager);
        let until = self.elapsed().plus(REMEMBERED);
        self.change_forager(forager, |record| record.forget_at = Some(until));
        self.state.index.timers.at_elapsed(until, Timer::Forget(forager));
    }

    /// A forager is not to be forgotten, as far as is known today.
    pub(super) fn remember(&mut self, forager: ForagerNo) {
        let before = self.change_forager(forager, |record| record.forget_at.take());
        if let Some(Some(at)) = before {
            self.state.index.timers.forget_elapsed(at, Timer::Forget(forager));
        }
    }

    /// The time to forget a forager has come, unless it came back or somebody waits for it. O(graphs).
    pub(super) fn forget_forager(&mut self, forager: ForagerNo) {
        let now = self.elapsed();
        let due = |at: Option<Elapsed>| at.is_some_and(|at| at <= now);
        let Some(record) = self.state.forager(forager).filter(|record| due(record.forget_at)) else { return };
        let name = record.name.clone();
        if self.is_waited_for(&name) {
            self.remember_for_a_while(forager);
            return;
        }
        self.forgive(forager);
        self.set_tools(forager, BTreeSet::new());
        self.state.core.foragers.remove(&forager);
        self.state.index.foragers.remove(&name);
        self.state.index.free.remove(forager);
        self.state.index.changed.forget(forager);
        self.tell(Event::ForagerForgotten { forager, name });
    }

    fn is_waited_for(&self, name: &Name) -> bool {
        self.state.core.graphs.values().any(|graph| graph.finished_at.is_none() && graph.shape().pins(name))
    }
}
