//! What a forager does with what it hears, and what becomes of it when its process ends.

use super::order::Ended;
use super::properties::Property;
use super::turn::Turn;
use super::world::{ATTEMPTS, FORAGERS, Held, MAX_RESTARTS};

impl Turn<'_> {
    /// A message of that leader arrives: a lower epoch is ignored, a higher one remembered first (DESIGN §3.5). Tells
    /// whether it counts.
    fn hears_of(&mut self, forager: usize, leader: usize) -> bool {
        let epoch = Self::epoch(leader);
        let own = &mut self.world.foragers[forager];
        let is_fresh = epoch >= own.seen || !self.ants.rules.fencing;
        own.seen = own.seen.max(epoch);
        is_fresh
    }

    /// The same for a message that names the incarnation that it is for (DESIGN §5).
    fn is_addressed(&mut self, forager: usize, leader: usize, incarnation: u8) -> bool {
        self.hears_of(forager, leader) && self.world.foragers[forager].incarnation() == Some(incarnation)
    }

    /// `task.assign`: heard again, it is not started again.
    pub(super) fn hear_assign(&mut self, leader: usize, attempt: usize) {
        let Some(incarnation) = self.world.post[leader].assigns[attempt] else { return };
        let forager = self.world.owners[attempt];
        if !self.is_addressed(forager, leader, incarnation) {
            return;
        }
        let epoch = Self::epoch(leader);
        match self.world.foragers[forager].attempts[attempt] {
            Held::Unknown | Held::Unstarted { .. } if self.needs_lease(forager) => {
                self.world.foragers[forager].attempts[attempt] = Held::Unstarted { epoch, incarnation };
            }
            Held::Unknown | Held::Unstarted { .. } => self.start(forager, attempt, epoch),
            Held::Running | Held::Ended(_) | Held::Confirmed => {}
        }
    }

    /// `task.cancel`: one that never came will never be started.
    pub(super) fn hear_cancel(&mut self, leader: usize, attempt: usize) {
        let Some(incarnation) = self.world.post[leader].cancels[attempt] else { return };
        let forager = self.world.owners[attempt];
        if !self.is_addressed(forager, leader, incarnation) {
            return;
        }
        let held = &mut self.world.foragers[forager].attempts[attempt];
        match *held {
            Held::Unknown | Held::Unstarted { .. } => *held = Held::Ended(Ended::Cancelled { started: false }),
            Held::Running => *held = Held::Ended(Ended::Cancelled { started: true }),
            Held::Ended(_) | Held::Confirmed => {}
        }
    }

    /// `task.confirmed`: an end can be forgotten.
    pub(super) fn hear_confirmed(&mut self, leader: usize, attempt: usize) {
        if !self.world.post[leader].confirmed[attempt] {
            return;
        }
        let forager = self.world.owners[attempt];
        if !self.hears_of(forager, leader) {
            return;
        }
        let held = &mut self.world.foragers[forager].attempts[attempt];
        if let Held::Ended(ended) = *held {
            *held = Held::Confirmed;
            let view = &self.ants.cores.core(self.world.committed).view;
            let is_awaited = view.undecided == Some(attempt) && ended == Ended::Succeeded;
            if view.is_open_at(attempt, forager) || is_awaited {
                self.break_property(Property::ResultsSurvive);
            }
        }
    }

    /// A lease, which may begin what waited for one.
    pub(super) fn hear_lease(&mut self, leader: usize, forager: usize, left: u8) {
        if !self.hears_of(forager, leader) {
            return;
        }
        let own = &mut self.world.foragers[forager];
        own.lease = own.lease.max(left);
        self.begin_held(forager);
    }

    /// What was held is begun if the leader of today has sent it (DESIGN §3.6).
    fn begin_held(&mut self, forager: usize) {
        for attempt in 0..ATTEMPTS {
            let own = &self.world.foragers[forager];
            if let Held::Unstarted { epoch, incarnation } = own.attempts[attempt]
                && epoch == own.seen
                && (own.incarnation() == Some(incarnation) || !self.ants.rules.addressed_holdings)
                && !self.needs_lease(forager)
            {
                self.start(forager, attempt, epoch);
            }
        }
    }

    /// `queen.welcome`, which belongs to the session of one process.
    pub(super) fn hear_welcome(&mut self, leader: usize, forager: usize) {
        let Some(welcome) = self.world.post[leader].welcomes[forager] else { return };
        if welcome.process != self.world.foragers[forager].process || !self.hears_of(forager, leader) {
            return;
        }
        let own = &mut self.world.foragers[forager];
        if own.incarnation() < Some(welcome.incarnation) {
            (own.is_registered, own.journal) = (true, welcome.incarnation);
        }
    }

    fn needs_lease(&self, forager: usize) -> bool {
        self.ants.rules.lease && self.world.foragers[forager].lease == 0
    }

    /// An attempt starts, by the word of a leader of that epoch.
    fn start(&mut self, forager: usize, attempt: usize, epoch: u8) {
        let all_running = |number: usize| self.world.foragers[number].those(|held| held == Held::Running);
        if (0..FORAGERS).any(|number| all_running(number) != 0) {
            self.break_property(Property::OneLiveAttempt);
        }
        if epoch < self.world.foragers[forager].seen {
            self.break_property(Property::Fencing);
        }
        if self.world.started & (1 << attempt) != 0 {
            self.break_property(Property::SingleStart);
        }
        let decisions = self.ants.cores.core(self.world.committed).view.decisions;
        let starts = self.world.started.count_ones() as usize;
        if self.ants.is_irrevocable() && starts > decisions {
            self.break_property(Property::Irrevocable);
        }
        self.world.started |= 1 << attempt;
        self.world.foragers[forager].attempts[attempt] = Held::Running;
    }

    /// A program ends by itself.
    pub(super) fn finish(&mut self, forager: usize, attempt: usize) {
        let held = &mut self.world.foragers[forager].attempts[attempt];
        if *held == Held::Running {
            *held = Held::Ended(Ended::Succeeded);
        }
    }

    /// A process is killed and another one started with its data folder. What its keeper has goes on; without a keeper it
    /// is interrupted (forager DESIGN, restart and upgrade).
    pub(super) fn restart(&mut self, forager: usize, with_keeper: bool) {
        if self.world.restarts == MAX_RESTARTS || !self.world.owners.contains(&forager) {
            return;
        }
        self.world.restarts += 1;
        let has_journal = self.ants.rules.journal;
        let own = &mut self.world.foragers[forager];
        own.process += 1;
        own.is_registered = false;
        if !with_keeper {
            own.lease = 0;
        }
        for held in &mut own.attempts {
            *held = match *held {
                _ if !has_journal => Held::Unknown,
                Held::Running if !with_keeper => Held::Ended(Ended::Interrupted),
                kept @ (Held::Running | Held::Ended(_)) => kept,
                Held::Unknown | Held::Unstarted { .. } | Held::Confirmed => Held::Unknown,
            };
        }
    }
}
