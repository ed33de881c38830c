//! The leader's decisions: what should be proposed now.
//!
//! Pure, and not trusted: apply checks everything again. A decision looks at the committed state, at what is on its
//! way, at the time, and at whom the leader hears.

mod assign;
mod foresee;
mod judge;
mod recall;
mod retire;

use std::collections::BTreeMap;

use antfarm_model::{Elapsed, ForagerNo, Incarnation, Span, WallTime};
use antfarm_planted::{Bug, planted};

pub use foresee::{Foreseen, foresee};
pub use recall::recalls;

use crate::command::Command;
use crate::forager::Forager;
use crate::in_flight::InFlight;
use crate::state::State;

/// The time of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Now {
    /// By the cluster's wall clock.
    pub wall: WallTime,
    /// By the cluster's own counter.
    pub elapsed: Elapsed,
}

/// What the leader knows of a forager because it talks to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contact {
    /// The incarnation that it talks to.
    pub incarnation: Incarnation,
    /// When it was heard last.
    pub heard_at: Elapsed,
    /// Since when the connection is broken, if it is.
    pub broken_at: Option<Elapsed>,
    /// It finishes what it has, and wants no more.
    pub draining: bool,
}

/// Whom the leader hears. It is not replicated: every leader begins anew.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Liveness {
    /// When this leadership began; nobody is missed from before.
    pub since: Elapsed,
    /// The foragers that have talked to this leader.
    pub contacts: BTreeMap<ForagerNo, Contact>,
}

impl Liveness {
    /// What is known of a forager, if it is its present incarnation that talks.
    pub(crate) fn contact(&self, forager: &Forager) -> Option<&Contact> {
        self.contacts.get(&forager.no).filter(|contact| contact.incarnation == forager.incarnation)
    }

    /// From when its silence counts: nobody is missed from before this leadership, or from before it registered.
    pub(crate) fn heard_at(&self, forager: &Forager) -> Elapsed {
        let since = if planted(Bug::NoGrace) { Elapsed(0) } else { self.since };
        let known_since = since.max(forager.registered_at);
        self.contact(forager).map_or(known_since, |contact| contact.heard_at.max(known_since))
    }
}

/// The settings that decisions depend on; what of them apply needs travels in the commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// How often a forager is heard when all is well.
    pub heartbeat: Span,
    /// How long a lease lasts.
    pub lease_ttl: Span,
    /// By how much two clocks may differ in speed, in percent.
    pub drift_percent: u32,
    /// How long a finished graph is kept.
    pub retention: Span,
    /// How long the id of a removed graph stays taken.
    pub dedupe_window: Span,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            heartbeat: Span::from_secs(1),
            lease_ttl: Span::from_secs(10),
            drift_percent: 1,
            retention: Span::from_secs(24 * 3_600),
            dedupe_window: Span::from_secs(7 * 24 * 3_600),
        }
    }
}

/// How much one decision may propose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Instances that are assigned.
    pub instances: usize,
    /// Whether to look for what only time changes, silent foragers and old graphs. O(foragers): for the tick.
    pub sweep: bool,
}

impl Default for Budget {
    fn default() -> Self {
        Self { instances: 4_096, sweep: true }
    }
}

/// What should be proposed now: with a sweep judgements on silent foragers and removals, then assignments.
pub fn decide(
    state: &State,
    in_flight: &InFlight,
    now: Now,
    liveness: &Liveness,
    policy: &Policy,
    budget: Budget,
) -> Vec<Command> {
    let mut commands = Vec::new();
    if budget.sweep {
        commands.extend(judge::judge(state, in_flight, now, liveness, policy));
        commands.extend(retire::retire(state, in_flight, now, policy));
    }
    if planted(Bug::WorkTakenBack) {
        let open = state.foragers().flat_map(|forager| forager.attempts().map(|(id, open)| (forager.no, *id, open)));
        let former = open.filter(|(_, _, open)| open.assigned_at < liveness.since);
        commands.extend(former.map(|(forager, id, _)| Command::Return { forager, attempts: id.into() }));
    }
    let judged = commands.iter().filter_map(judged_forager).collect();
    commands.extend(assign::assign(state, in_flight, now, liveness, &judged, budget.instances));
    commands
}

/// The forager that a judgement is about.
fn judged_forager(command: &Command) -> Option<ForagerNo> {
    if let Command::Suspect { forager, .. } | Command::Trust { forager, .. } | Command::Lose { forager, .. } = command {
        Some(*forager)
    } else {
        None
    }
}
