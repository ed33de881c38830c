//! What leaders send: what the state says, as soon as it says so, since it may arrive at any time later.

use super::cores::Core;
use super::order::{Order, forager_no};
use super::properties::Property;
use super::turn::Turn;
use super::view::Attempt;
use super::world::{ATTEMPTS, FORAGERS};

impl Turn<'_> {
    /// Sends a forager what it should do, if its present incarnation has talked to her (DESIGN §2: level-triggered).
    pub(super) fn dispatch(&mut self, number: usize) {
        let leader = &self.world.leaders[number];
        if !leader.leads() {
            return;
        }
        let core = self.ants.cores.core(leader.applied);
        for forager in 0..FORAGERS {
            if self.world.leaders[number].contacts[forager].is_some() && !self.is_withheld(number, forager, &core) {
                self.dispatch_to(number, forager, &core);
            }
        }
    }

    fn dispatch_to(&mut self, number: usize, forager: usize, core: &Core) {
        let incarnation = core.view.incarnations[forager];
        for attempt in 0..ATTEMPTS {
            match core.view.attempts[attempt] {
                Some(Attempt::Open { forager: at, is_cancelled }) if at == forager => {
                    let sent = &mut self.world.post[number];
                    let messages = if is_cancelled { &mut sent.cancels } else { &mut sent.assigns };
                    messages[attempt] = Some(incarnation);
                }
                Some(Attempt::Open { .. } | Attempt::Closed(_)) | None => {}
            }
        }
        if !self.ants.rules.commit_before_dispatch {
            self.dispatch_uncommitted(number, forager);
        }
    }

    fn dispatch_uncommitted(&mut self, number: usize, to: usize) {
        let orders: Vec<Order> = self.world.leaders[number].under_way.iter().flatten().copied().collect();
        for order in orders {
            if let Order::Assign { forager, incarnation, attempt } = order
                && forager == to
            {
                self.world.post[number].assigns[attempt] = Some(incarnation);
                self.break_property(Property::CommitBeforeDispatch);
            }
        }
    }

    /// Two lives of one queen never speak in the same term.
    pub(super) fn sends(&mut self, number: usize) {
        if self.world.leaders[number].life > 0 {
            self.break_property(Property::OneLeader);
        }
    }

    pub(super) fn is_withheld(&self, number: usize, forager: usize, core: &Core) -> bool {
        self.ants.rules.withholding
            && !self.world.leaders[number].under_way.is_empty()
            && self.world.leaders[number].in_flight(core).touches_forager(forager_no(forager))
    }
}
