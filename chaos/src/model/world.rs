//! One state of the model: what is committed, two leaders, two foragers, what is on its way, and what has happened.

use super::clocks::LONG_AGO;
use super::cores::CoreNo;
use super::order::{AttemptSet, Ended, Order};
use super::post::Post;

pub(super) const LEADERS: usize = 2;
pub(super) const FORAGERS: usize = 2;

/// Attempts that are proposed at most. One more than may be opened: an election may lose a proposal.
pub(super) const ATTEMPTS: usize = 3;

/// Attempts that are opened at most.
pub(super) const MAX_OPENED: usize = 2;

/// Restarts of foragers, of both together.
pub(super) const MAX_RESTARTS: u8 = 1;

/// A property that does not hold, by its bit.
pub(super) type Broken = u8;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct World {
    /// The state after everything that is committed.
    pub(super) committed: CoreNo,
    pub(super) leaders: [Leader; LEADERS],
    pub(super) foragers: [Forager; FORAGERS],
    pub(super) post: Post,
    /// For whom each attempt was proposed.
    pub(super) owners: Vec<usize>,
    /// Attempts that have started.
    pub(super) started: AttemptSet,
    pub(super) restarts: u8,
    /// Properties that do not hold, as bits.
    pub(super) broken: Broken,
}

/// Whether a queen leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Office {
    /// Not yet.
    Awaited,
    /// She does.
    Held,
    /// Another one does, and she does not know.
    Lost,
    /// Nobody would listen to her any more.
    Over,
}

/// A queen who leads, or believes so.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Leader {
    pub(super) office: Office,
    /// The state that she has.
    pub(super) applied: CoreNo,
    /// Her entries that she has not seen applied.
    pub(super) under_way: Vec<Vec<Order>>,
    /// Of these, the ones that a former life of hers proposed in the same term, the first ones.
    pub(super) of_former_life: usize,
    /// Of these, the ones that the election kept, the first ones.
    pub(super) kept: usize,
    pub(super) life: u8,
    /// Ticks since she began, up to those after which a lease is over.
    pub(super) since: u8,
    /// Ticks since she heard each forager whose present incarnation has talked to her.
    pub(super) contacts: [Option<u8>; FORAGERS],
}

/// What a forager, with its keeper, knows of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Held {
    /// Nothing.
    Unknown,
    /// It was assigned in that epoch to that incarnation, and waits for a lease.
    Unstarted { epoch: u8, incarnation: u8 },
    /// It runs.
    Running,
    /// It has ended, and no queen has confirmed that.
    Ended(Ended),
    /// It had ended, and that was confirmed.
    Confirmed,
}

/// A forager with its keeper and its data folder.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Forager {
    /// How often it was restarted.
    pub(super) process: u8,
    /// Whether this process knows its incarnation, which is then the journal's.
    pub(super) is_registered: bool,
    /// The incarnation that the journal has.
    pub(super) journal: u8,
    /// The highest epoch that it ever saw.
    pub(super) seen: u8,
    /// What is left of its lease, by its own clock.
    pub(super) lease: u8,
    pub(super) attempts: [Held; ATTEMPTS],
}

impl Forager {
    /// The incarnation of this process, if it knows it.
    pub(super) fn incarnation(&self) -> Option<u8> {
        self.is_registered.then_some(self.journal)
    }

    /// The attempts that it holds in that way.
    pub(super) fn those(&self, which: impl Fn(Held) -> bool) -> AttemptSet {
        (0..ATTEMPTS).filter(|attempt| which(self.attempts[*attempt])).fold(0, |set, attempt| set | 1 << attempt)
    }
}

impl World {
    pub(super) fn first(core: CoreNo) -> Self {
        let leader = |office| Leader {
            office,
            applied: core,
            under_way: Vec::new(),
            of_former_life: 0,
            kept: 0,
            life: 0,
            since: LONG_AGO,
            contacts: [Some(0); FORAGERS],
        };
        let forager = Forager {
            process: 0,
            is_registered: true,
            journal: 0,
            seen: 1,
            lease: 0,
            attempts: [Held::Unknown; ATTEMPTS],
        };
        Self {
            committed: core,
            leaders: [leader(Office::Held), leader(Office::Awaited)],
            foragers: [forager.clone(), forager],
            post: Post::default(),
            owners: Vec::new(),
            started: 0,
            restarts: 0,
            broken: 0,
        }
    }
}
