//! A leadership over the abstract log; it may be over without knowing.

use std::time::Duration;

use antfarm_model::{Elapsed, ForagerNo, Incarnation, WallTime};
use antfarm_scheduler::{Budget, Command, Contact, Entry, InFlight, Liveness, Now, Policy, State, decide, foresee};

#[derive(Debug)]
pub(super) struct Leader {
    pub(super) term: u64,
    pub(super) replica: usize,
    pub(super) in_flight: InFlight,
    /// Log indices of its own entries that it has not seen applied.
    pub(super) under_way: Vec<u64>,
    pub(super) liveness: Liveness,
    /// When it asked a quorum last that answered. A former leader is not answered.
    pub(super) quorum_asked_at: u64,
}

impl Leader {
    pub(super) fn new(term: u64, replica: usize, now: u64) -> Self {
        let liveness = Liveness { since: Elapsed(now), ..Liveness::default() };
        let (in_flight, under_way) = (InFlight::default(), Vec::new());
        Self { term, replica, in_flight, under_way, liveness, quorum_asked_at: now }
    }

    pub(super) fn hear(&mut self, forager: ForagerNo, incarnation: Incarnation, now: u64) {
        let contact = Contact { incarnation, heard_at: Elapsed(now), broken_at: None, draining: false };
        self.liveness.contacts.insert(forager, contact);
    }

    /// What it grants to a forager that it hears now: nothing beyond what it had from a quorum. The model shows why.
    pub(super) fn grant(&self, now: u64) -> Option<u64> {
        let [now, asked_at] = [now, self.quorum_asked_at].map(Duration::from_millis);
        Policy::default().lease().grant(now, asked_at).map(|length| length.0)
    }

    pub(super) fn entry(&self, state: &State, now: u64, commands: Vec<Command>) -> Entry {
        Entry { epoch: state.epoch(self.term), wall: WallTime(now), elapsed: Elapsed(now), commands }
    }

    pub(super) fn decide(&self, state: &State, now: u64) -> Vec<Command> {
        let now = Now { wall: WallTime(now), elapsed: Elapsed(now) };
        decide(state, &self.in_flight, now, &self.liveness, &Policy::default(), Budget::default())
    }

    /// What can be assigned of what commands make ready, which are noted already.
    pub(super) fn foresee(&mut self, state: &State, now: u64, index: u64, commands: &[Command]) -> Vec<Command> {
        let now = Now { wall: WallTime(now), elapsed: Elapsed(now) };
        let all: Vec<&Command> = commands.iter().collect();
        let foreseen = foresee(state, &self.in_flight, index, now, &self.liveness, &all);
        self.in_flight.add_foreseen(index, state, &foreseen);
        foreseen.commands
    }

    /// Notes the commands of an own entry that is about to be appended.
    pub(super) fn note(&mut self, state: &State, index: u64, commands: &[Command]) {
        self.in_flight.add(index, state, commands);
        self.under_way.push(index);
    }

    /// Forgets own entries up to an index.
    pub(super) fn settle(&mut self, applied: u64) {
        let in_flight = &mut self.in_flight;
        self.under_way.retain(|index| {
            let open = *index > applied;
            if !open {
                in_flight.settle(*index);
            }
            open
        });
    }
}
