//! What leaders hear of foragers, and what they make of it.

use super::clocks::grant;
use super::order::{AttemptSet, Order, process_number};
use super::post::Welcome;
use super::turn::Turn;
use super::world::{ATTEMPTS, Held, Office};

impl Turn<'_> {
    /// Who a forager is, and whether it may be that (queen: `office/register.rs`).
    pub(super) fn hear_hello(&mut self, number: usize, forager: usize) {
        let leader = &self.world.leaders[number];
        let hello = &self.world.foragers[forager];
        if !leader.leads() || hello.seen > Self::epoch(number) {
            return;
        }
        let core = self.ants.cores.core(leader.applied);
        let record = core.forager(forager);
        let process = Some(process_number(forager, hello.process));
        let speaks_for = hello.incarnation().is_some_and(|own| own == core.view.incarnations[forager]);
        let holds =
            (hello.those(|held| matches!(held, Held::Unstarted { .. })), hello.those(|held| held == Held::Running));
        if !record.lost && (speaks_for || record.is_process(process)) {
            let process = hello.process;
            self.adopt(number, forager, process, holds);
        } else if record.may_be_followed_by(process, Some(core.incarnation(forager, hello.journal))) {
            self.register(number, forager, holds);
        }
    }

    fn register(&mut self, number: usize, forager: usize, (held, running): (AttemptSet, AttemptSet)) {
        let hello = &self.world.foragers[forager];
        let order = Order::Register { forager, process: hello.process, journal: hello.journal, held, running };
        let is_its = |other: &Order| matches!(other, Order::Register { forager: other, .. } if *other == forager);
        let is_under_way = self.world.leaders[number].under_way.iter().flatten().any(is_its);
        let committed = self.ants.cores.core(self.world.committed);
        let registrations: u8 = committed.view.incarnations.iter().sum();
        // Who was never given anything need not come back.
        let is_of_use = self.world.owners.contains(&forager) && registrations < self.ants.scope.registrations;
        if is_of_use && !is_under_way && self.can_propose(number) {
            self.propose(number, vec![order]);
        }
    }

    /// What it runs goes on, and what nobody knows is cancelled (DESIGN §5: sessions re-present).
    pub(super) fn adopt(
        &mut self,
        number: usize,
        forager: usize,
        process: u8,
        (held, running): (AttemptSet, AttemptSet),
    ) {
        let leader = &mut self.world.leaders[number];
        let core = self.ants.cores.core(leader.applied);
        let incarnation = core.view.incarnations[forager];
        leader.contacts[forager] = Some(0);
        let sent = &mut self.world.post[number];
        if self.world.foragers[forager].incarnation() != Some(incarnation) {
            sent.welcomes[forager] = Some(Welcome { process, incarnation });
        }
        for attempt in (0..ATTEMPTS).filter(|attempt| (held | running) & (1 << attempt) != 0) {
            let is_awaited = running & (1 << attempt) != 0 && core.view.undecided == Some(attempt);
            if !core.view.is_open_at(attempt, forager) && !is_awaited {
                sent.cancels[attempt] = Some(incarnation);
            }
        }
        self.sends(number);
    }

    /// Whether a leader hears what a process of a forager says of its work.
    fn hears(&self, number: usize, forager: usize) -> bool {
        let leader = &self.world.leaders[number];
        let core = self.ants.cores.core(leader.applied);
        let own = &self.world.foragers[forager];
        leader.leads()
            && leader.contacts[forager].is_some()
            && own.incarnation() == Some(core.view.incarnations[forager])
            && own.seen <= Self::epoch(number)
    }

    /// A heartbeat is heard as soon as it is sent; later it would grant less. What is granted counts from then.
    pub(super) fn hear_heartbeat(&mut self, number: usize, forager: usize) {
        if !self.hears(number, forager) {
            return;
        }
        self.world.leaders[number].contacts[forager] = Some(0);
        let core = self.ants.cores.core(self.world.leaders[number].applied);
        if self.is_withheld(number, forager, &core) {
            return;
        }
        // A queen who leads no more was answered by a quorum last before her successor began (DESIGN §5).
        let is_lost = self.world.leaders[number].office == Office::Lost;
        let ticks = if is_lost && self.ants.rules.bounded_grants { self.world.leaders[1].since } else { 0 };
        if let Some(left) = grant(self.ants.policy.lease(), ticks) {
            self.sends(number);
            self.hear_lease(number, forager, left);
        }
    }

    /// A report is proposed if the state waits for it, and discarded otherwise (queen: `office/hello.rs`).
    pub(super) fn hear_report(&mut self, number: usize, forager: usize, attempt: usize) {
        if !self.hears(number, forager) {
            return;
        }
        let core = self.ants.cores.core(self.world.leaders[number].applied);
        let is_open = core.view.is_open_at(attempt, forager);
        let order = match self.world.foragers[forager].attempts[attempt] {
            Held::Ended(ended) if is_open || core.view.undecided == Some(attempt) => {
                Some(Order::End { forager, attempt, ended })
            }
            Held::Ended(_) => {
                self.world.post[number].confirmed[attempt] = true;
                None
            }
            Held::Unknown | Held::Unstarted { .. } | Held::Running | Held::Confirmed => None,
        };
        let leader = &self.world.leaders[number];
        if let Some(order) = order.filter(|order| self.can_propose(number) && !leader.has_under_way(order)) {
            self.propose(number, vec![order]);
        }
    }
}
