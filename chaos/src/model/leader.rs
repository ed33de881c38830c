//! Office: gained, lost, resumed; what is proposed, committed and applied. The judgement is the product's [`decide()`].

use std::collections::BTreeMap;

use antfarm_model::{Elapsed, WallTime};
use antfarm_scheduler::{Budget, Command, Contact, InFlight, Liveness, Now, decide};

use super::clocks::FAST;
use super::cores::Core;
use super::order::{Order, forager_no, process_number};
use super::properties::Property;
use super::turn::Turn;
use super::view::Attempt;
use super::world::{ATTEMPTS, FORAGERS, Held, Leader, MAX_OPENED, Office};

/// A moment by a leader's clock, long after everything that it looks back to.
const NOW: u64 = 1_000;

impl Leader {
    /// Whether she leads, or believes so.
    pub(super) fn leads(&self) -> bool {
        matches!(self.office, Office::Held | Office::Lost)
    }

    pub(super) fn has_under_way(&self, order: &Order) -> bool {
        self.under_way.iter().flatten().any(|other| other == order)
    }

    /// What this life of hers knows to be on its way.
    pub(super) fn in_flight(&self, core: &Core) -> InFlight {
        let mut in_flight = InFlight::default();
        for (number, orders) in self.under_way.iter().enumerate().skip(self.of_former_life) {
            let commands: Vec<Command> = orders.iter().map(|order| order.command(core)).collect();
            in_flight.add(number as u64, &core.state, &commands);
        }
        in_flight
    }

    fn liveness(&self, core: &Core) -> Liveness {
        let ago = |ticks: u8| Elapsed(NOW - FAST * u64::from(ticks));
        let contact = |forager: usize| {
            let heard_at = ago(self.contacts[forager]?);
            let incarnation = core.forager(forager).incarnation;
            Some((forager_no(forager), Contact { incarnation, heard_at, broken_at: None, draining: false }))
        };
        Liveness { since: ago(self.since), contacts: (0..FORAGERS).filter_map(contact).collect::<BTreeMap<_, _>>() }
    }
}

impl Turn<'_> {
    /// The other queen wins an election. She begins when she has applied everything before her first entry (DESIGN §3.4).
    pub(super) fn elect(&mut self, kept: usize) {
        let [former, successor] = &mut self.world.leaders;
        if successor.office != Office::Awaited || kept > former.under_way.len() {
            return;
        }
        (former.office, former.kept) = (Office::Lost, kept);
        let entries: Vec<_> = former.under_way.iter().take(kept).cloned().collect();
        for orders in entries {
            self.apply(0, &orders);
        }
        self.apply(1, &[]); // her own first entry
        let successor = &mut self.world.leaders[1];
        (successor.office, successor.applied, successor.since) = (Office::Held, self.world.committed, 0);
        successor.contacts = [None; FORAGERS];
    }

    /// Applies an entry that is committed.
    fn apply(&mut self, leader: usize, orders: &[Order]) {
        let before = self.ants.cores.core(self.world.committed);
        self.world.committed = self.ants.cores.apply(self.world.committed, Self::epoch(leader).into(), orders);
        let after = self.ants.cores.core(self.world.committed);
        let was_awaited = |attempt: usize| {
            matches!(before.view.attempts[attempt], Some(Attempt::Open { .. }))
                || before.view.undecided == Some(attempt)
        };
        let is_changed = before.view.accepted.is_some() && before.view.accepted != after.view.accepted;
        let is_late =
            before.view.accepted.is_none() && after.view.accepted.is_some_and(|attempt| !was_awaited(attempt));
        if is_changed || is_late {
            self.break_property(Property::OneResult);
        }
    }

    /// The next entry is committed, and its leader applies it.
    pub(super) fn commit(&mut self, number: usize) {
        let leader = &mut self.world.leaders[number];
        if leader.office != Office::Held || leader.under_way.is_empty() {
            return;
        }
        let orders = leader.under_way.remove(0);
        let is_known = leader.of_former_life == 0;
        leader.of_former_life = leader.of_former_life.saturating_sub(1);
        self.apply(number, &orders);
        self.see_applied(number);
        if is_known {
            self.settle(number, &orders);
        }
    }

    /// Whether a leader can have one more entry taken by the log.
    pub(super) fn can_propose(&self, number: usize) -> bool {
        let leader = &self.world.leaders[number];
        leader.office == Office::Held && leader.under_way.len() < self.ants.scope.under_way
    }

    /// Hands an entry to the log.
    pub(super) fn propose(&mut self, number: usize, orders: Vec<Order>) {
        self.world.leaders[number].under_way.push(orders);
        if number > 0 {
            // What may happen meanwhile happens to the first leader, too.
            self.commit(number);
        }
    }

    /// A leader has what is committed. Whoever spoke for a former incarnation, or for one that is lost, speaks no more.
    fn see_applied(&mut self, number: usize) {
        let leader = &mut self.world.leaders[number];
        let before = self.ants.cores.core(leader.applied);
        let after = self.ants.cores.core(self.world.committed);
        leader.applied = self.world.committed;
        for forager in 0..FORAGERS {
            let is_same = before.view.incarnations[forager] == after.view.incarnations[forager];
            if !is_same || after.view.lost[forager] {
                leader.contacts[forager] = None;
            }
        }
    }

    /// What follows from a leader's own entry, which she has applied.
    fn settle(&mut self, number: usize, orders: &[Order]) {
        let core = self.ants.cores.core(self.world.leaders[number].applied);
        for order in orders {
            match *order {
                Order::End { attempt, .. } => self.world.post[number].confirmed[attempt] = true,
                Order::Register { forager, process, held, running, .. } => {
                    let record = core.forager(forager);
                    if record.is_process(Some(process_number(forager, process))) && !record.lost {
                        self.adopt(number, forager, process, (held, running));
                    }
                }
                Order::Assign { .. } | Order::Lose { .. } | Order::Retry { .. } => {}
            }
        }
    }

    /// The product's own judgement on what she knows.
    pub(super) fn decide(&mut self, number: usize) {
        if !self.can_propose(number) {
            return;
        }
        let leader = &self.world.leaders[number];
        let core = self.ants.cores.core(leader.applied);
        let now = Now { wall: WallTime(0), elapsed: Elapsed(NOW) };
        let (in_flight, liveness) = (leader.in_flight(&core), leader.liveness(&core));
        let commands = decide(&core.state, &in_flight, now, &liveness, &self.ants.policy, Budget::default());
        let orders: Vec<Order> = commands.iter().filter_map(|command| self.named(command, &core)).collect();
        if !orders.is_empty() {
            self.propose(number, orders);
        }
    }

    /// A decision by the model's names; none if it is one attempt more than the model looks at.
    fn named(&mut self, command: &Command, core: &Core) -> Option<Order> {
        let number = |no: antfarm_model::ForagerNo| no.0 as usize;
        if let Command::Lose { forager, .. } = command {
            let forager = number(*forager);
            return Some(Order::Lose { forager, incarnation: core.view.incarnations[forager] });
        }
        let Command::Assign { forager, .. } = command else {
            panic!("the model's leaders have no reason for {command:?}")
        };
        let committed = self.ants.cores.core(self.world.committed);
        if committed.view.opened() >= MAX_OPENED || self.world.owners.len() >= ATTEMPTS {
            return None;
        }
        let (forager, attempt) = (number(*forager), self.world.owners.len());
        self.world.owners.push(forager);
        Some(Order::Assign { forager, incarnation: core.view.incarnations[forager], attempt })
    }

    /// Somebody who has looked decides that the node is tried again.
    pub(super) fn retry(&mut self) {
        let number = usize::from(self.world.leaders[1].office == Office::Held);
        let core = self.ants.cores.core(self.world.leaders[number].applied);
        let Some(attempt) = core.view.undecided else { return };
        let is_proven = matches!(core.view.attempts[attempt], Some(Attempt::Closed(ending)) if ending.is_proven());
        let runs = self.world.foragers[self.world.owners[attempt]].attempts[attempt] == Held::Running;
        let order = Order::Retry { attempt, assume_ended: !is_proven };
        if runs || !self.can_propose(number) || self.world.leaders[number].has_under_way(&order) {
            return;
        }
        self.propose(number, vec![order]);
    }

    /// She leads no more, does not know, and her replica goes on.
    pub(super) fn catch_up(&mut self) {
        if self.world.leaders[0].office != Office::Lost {
            return;
        }
        self.see_applied(0);
        let kept = std::mem::take(&mut self.world.leaders[0].kept);
        for orders in self.world.leaders[0].under_way.drain(..kept).collect::<Vec<_>>() {
            self.settle(0, &orders);
        }
    }

    /// A restarted queen takes up her old term again: what she had proposed is in her log, and nothing else is left.
    pub(super) fn resume(&mut self) {
        let leader = &mut self.world.leaders[0];
        if self.ants.rules.one_life_per_term || leader.office != Office::Held || leader.life > 0 {
            return;
        }
        leader.life += 1;
        leader.of_former_life = leader.under_way.len();
        leader.since = 0;
        leader.contacts = [None; FORAGERS];
    }
}
