//! One step of the world: the action, and what keeps equal worlds equal.

use super::Ants;
use super::action::Action;
use super::clocks::{LONG_AGO, SLOW};
use super::order::Ended;
use super::properties::Property;
use super::view::Attempt;
use super::world::{ATTEMPTS, FORAGERS, Held, LEADERS, Office, World};

/// A step under way.
pub(super) struct Turn<'a> {
    pub(super) ants: &'a Ants,
    pub(super) world: World,
}

impl Turn<'_> {
    /// Lets something happen, if it can.
    pub(super) fn take(&mut self, action: Action) {
        match action {
            Action::Tick => self.tick(),
            Action::Elect { kept } => self.elect(kept),
            Action::Commit { leader } => self.commit(leader),
            Action::Decide { leader } => self.decide(leader),
            Action::CatchUp => self.catch_up(),
            Action::Resume => self.resume(),
            Action::Hello { forager, leader } => {
                self.hear_hello(leader, forager);
                self.hear_heartbeat(leader, forager);
            }
            Action::Report { forager, leader, attempt } => self.hear_report(leader, forager, attempt),
            Action::HearAssign { leader, attempt } => self.hear_assign(leader, attempt),
            Action::HearCancel { leader, attempt } => self.hear_cancel(leader, attempt),
            Action::HearConfirmed { leader, attempt } => self.hear_confirmed(leader, attempt),
            Action::HearWelcome { leader, forager } => self.hear_welcome(leader, forager),
            Action::Finish { forager, attempt } => self.finish(forager, attempt),
            Action::Restart { forager, with_keeper } => self.restart(forager, with_keeper),
            Action::Retry => self.retry(),
        }
    }

    /// A property does not hold.
    pub(super) fn break_property(&mut self, property: Property) {
        self.world.broken |= property.bit();
    }

    /// Time passes. At the end of its lease what is guarded is dead (scheduler DESIGN, assumption 3).
    fn tick(&mut self) {
        for forager in &mut self.world.foragers {
            forager.lease = forager.lease.saturating_sub(SLOW);
            if forager.lease == 0 && self.ants.rules.lease && !self.ants.is_irrevocable() {
                for held in forager.attempts.iter_mut().filter(|held| **held == Held::Running) {
                    *held = Held::Ended(Ended::Interrupted);
                }
            }
        }
        for leader in &mut self.world.leaders {
            leader.since = (leader.since + 1).min(LONG_AGO);
            leader.contacts.iter_mut().flatten().for_each(|ticks| *ticks += 1);
        }
    }

    /// Takes out what makes no difference any more.
    pub(super) fn tidy(&mut self) {
        self.forget_an_office_that_is_over();
        self.forget_ends();
        for leader in 0..LEADERS {
            self.dispatch(leader);
            self.forget_ages(leader);
            self.forget_messages(leader);
        }
    }

    /// To nobody who has seen a higher epoch, a queen who has not noticed can do anything.
    fn forget_an_office_that_is_over(&mut self) {
        let everybody_knows = self.world.foragers.iter().all(|forager| forager.seen == 2);
        let [former, successor] = &mut self.world.leaders;
        if everybody_knows && former.office == Office::Lost && self.ants.rules.fencing {
            former.office = Office::Over;
            former.applied = 0;
            former.under_way.clear();
            (former.kept, former.of_former_life, former.life, former.since) = (0, 0, 0, 0);
            former.contacts = [None; FORAGERS];
        }
        if successor.office == Office::Awaited {
            successor.since = 0;
            successor.contacts = [None; FORAGERS];
        }
    }

    /// The end of an attempt that is closed would only be discarded: it counts as forgotten already, as it may be.
    fn forget_ends(&mut self) {
        let committed = self.ants.cores.core(self.world.committed);
        for forager in &mut self.world.foragers {
            for (attempt, held) in forager.attempts.iter_mut().enumerate() {
                let is_closed = matches!(committed.view.attempts[attempt], Some(Attempt::Closed(_)));
                if is_closed && matches!(held, Held::Ended(_)) && committed.view.undecided != Some(attempt) {
                    *held = Held::Confirmed;
                }
            }
        }
    }

    /// Whether nothing can happen any more that a property is about: the node has its result, and nothing runs, may start
    /// or is to be reported.
    pub(super) fn is_over(ants: &Ants, world: &World) -> bool {
        let is_done = |held: &Held| matches!(held, Held::Unknown | Held::Confirmed);
        ants.cores.core(world.committed).view.instance.is_final()
            && world.foragers.iter().flat_map(|forager| &forager.attempts).all(is_done)
            && world.post.iter().all(|sent| sent.assigns == [None; ATTEMPTS])
    }

    fn forget_ages(&mut self, number: usize) {
        let is_lost = self.world.leaders[number].office == Office::Lost;
        let leader = &mut self.world.leaders[number];
        if is_lost {
            leader.since = 0; // nobody is lost by her judgement any more
        }
        let since = leader.since;
        leader.contacts.iter_mut().flatten().for_each(|ticks| *ticks = (*ticks).min(since));
    }

    fn forget_messages(&mut self, leader: usize) {
        let epoch = Self::epoch(leader);
        let World { foragers, post, owners, .. } = &mut self.world;
        let sent = &mut post[leader];
        let is_stale = |forager: usize| foragers[forager].seen > epoch && self.ants.rules.fencing;
        let is_news = |forager: usize| foragers[forager].seen < epoch;
        for attempt in 0..ATTEMPTS {
            let Some(owner) = owners.get(attempt).copied() else { continue };
            let forager = &foragers[owner];
            let held = forager.attempts[attempt];
            let for_former = |incarnation: u8| forager.journal > incarnation;
            let is_over = matches!(held, Held::Ended(_) | Held::Confirmed);
            if !is_news(owner) {
                let is_idle = is_over || held == Held::Running;
                sent.assigns[attempt].take_if(|to| is_stale(owner) || for_former(*to) || is_idle);
                sent.cancels[attempt].take_if(|to| is_stale(owner) || for_former(*to) || is_over);
                sent.confirmed[attempt] &= !is_stale(owner) && matches!(held, Held::Ended(_));
            }
        }
        for (number, forager) in foragers.iter().enumerate() {
            sent.welcomes[number].take_if(|welcome| {
                let is_known = forager.incarnation() >= Some(welcome.incarnation);
                forager.process != welcome.process || is_stale(number) || (!is_news(number) && is_known)
            });
        }
    }

    /// The epoch of a leader.
    pub(super) fn epoch(leader: usize) -> u8 {
        if leader == 0 { 1 } else { 2 }
    }
}
