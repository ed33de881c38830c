//! What must always hold, and what must be reachable so that this means something.

use antfarm_scheduler::{Ending, InstanceState};
use stateright::Property as Checked;

use super::Ants;
use super::order::{Ended, Order};
use super::view::{Attempt, View};
use super::world::{FORAGERS, Held, Office, World};

/// A safety property of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Property {
    OneLeader,
    CommitBeforeDispatch,
    Fencing,
    SingleStart,
    OneLiveAttempt,
    OneResult,
    ResultsSurvive,
    Irrevocable,
}

impl Property {
    pub(super) const ALL: [Self; 8] = [
        Self::OneLeader,
        Self::CommitBeforeDispatch,
        Self::Fencing,
        Self::SingleStart,
        Self::OneLiveAttempt,
        Self::OneResult,
        Self::ResultsSurvive,
        Self::Irrevocable,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::OneLeader => "S1 one leader in an epoch, in one life",
            Self::CommitBeforeDispatch => "S3 commit before dispatch",
            Self::Fencing => "S4 fencing",
            Self::SingleStart => "S5 single start",
            Self::OneLiveAttempt => "S6 no concurrent attempts",
            Self::OneResult => "S7 one accepted result",
            Self::ResultsSurvive => "S21 a forager forgets nothing that is not confirmed",
            Self::Irrevocable => "S23 an irrevocable instance starts once, and again only for a decision",
        }
    }

    pub(super) const fn bit(self) -> u8 {
        1 << self as u8
    }

    const fn holds(self) -> fn(&Ants, &World) -> bool {
        match self {
            Self::OneLeader => |_, world| world.broken & Self::OneLeader.bit() == 0,
            Self::CommitBeforeDispatch => |_, world| world.broken & Self::CommitBeforeDispatch.bit() == 0,
            Self::Fencing => |_, world| world.broken & Self::Fencing.bit() == 0,
            Self::SingleStart => |_, world| world.broken & Self::SingleStart.bit() == 0,
            Self::OneLiveAttempt => |_, world| world.broken & Self::OneLiveAttempt.bit() == 0,
            Self::OneResult => |_, world| world.broken & Self::OneResult.bit() == 0,
            Self::ResultsSurvive => |_, world| world.broken & Self::ResultsSurvive.bit() == 0,
            Self::Irrevocable => |_, world| world.broken & Self::Irrevocable.bit() == 0,
        }
    }
}

/// All of them, and what is to be seen somewhere in that scope.
pub(super) fn all(ants: &Ants) -> Vec<Checked<Ants>> {
    let always = Property::ALL.map(|property| Checked::always(property.name(), property.holds()));
    let mut sometimes = vec![
        Checked::sometimes("a node succeeds after its first forager was lost", succeeds_after_a_loss as _),
        Checked::sometimes("a restarted forager goes on with what its keeper has", goes_on_after_a_restart),
        Checked::sometimes("something waits for a lease", waits_for_a_lease),
    ];
    if ants.scope.has_successor {
        sometimes.push(Checked::sometimes("a message of a former leader is refused", a_former_leader_is_refused));
        sometimes.push(Checked::sometimes("a former leader grants a lease that counts", a_former_leader_grants));
    } else {
        sometimes.push(Checked::sometimes("a result stands in the log behind a loss", comes_too_late));
    }
    if ants.is_irrevocable() {
        sometimes.push(Checked::sometimes("a node succeeds after a decision", succeeds_after_a_decision));
    } else {
        sometimes.push(Checked::sometimes("a lease ends what runs", is_ended_by_its_lease));
    }
    always.into_iter().chain(sometimes).collect()
}

fn committed<T>(ants: &Ants, world: &World, look: impl Fn(&View) -> T) -> T {
    look(&ants.cores.core(world.committed).view)
}

fn succeeds_after_a_loss(ants: &Ants, world: &World) -> bool {
    committed(ants, world, |view| {
        let was_lost = view.attempts.contains(&Some(Attempt::Closed(Ending::Lost)));
        view.instance == InstanceState::Succeeded && was_lost
    })
}

/// She would send it, and it knows better.
fn a_former_leader_is_refused(ants: &Ants, world: &World) -> bool {
    let former = &world.leaders[0];
    let view = &ants.cores.core(former.applied).view;
    let is_refused = |forager: usize| {
        let is_sent = (0..view.attempts.len()).any(|attempt| view.is_open_at(attempt, forager));
        is_sent && former.contacts[forager].is_some() && world.foragers[forager].seen > 1
    };
    former.office == Office::Lost && (0..FORAGERS).any(is_refused)
}

fn a_former_leader_grants(_: &Ants, world: &World) -> bool {
    let counts = |forager: usize| {
        let own = &world.foragers[forager];
        own.seen == 1 && own.lease > 0 && world.leaders[0].contacts[forager].is_some()
    };
    world.leaders[0].office == Office::Lost && world.leaders[1].since > 0 && (0..FORAGERS).any(counts)
}

fn goes_on_after_a_restart(ants: &Ants, world: &World) -> bool {
    committed(ants, world, |view| {
        let goes_on = |forager: usize| {
            let own = &world.foragers[forager];
            let runs = |attempt: usize| own.attempts[attempt] == Held::Running && view.is_open_at(attempt, forager);
            own.process > 0
                && own.incarnation() == Some(view.incarnations[forager])
                && (0..view.attempts.len()).any(runs)
        };
        (0..FORAGERS).any(goes_on)
    })
}

fn comes_too_late(_: &Ants, world: &World) -> bool {
    let mut under_way = world.leaders[0].under_way.iter().flatten();
    under_way.any(|order| matches!(order, Order::Lose { .. }))
        && under_way.any(|order| matches!(order, Order::End { ended: Ended::Succeeded, .. }))
}

fn waits_for_a_lease(_: &Ants, world: &World) -> bool {
    world.foragers.iter().any(|own| own.those(|held| matches!(held, Held::Unstarted { .. })) != 0)
}

fn succeeds_after_a_decision(ants: &Ants, world: &World) -> bool {
    committed(ants, world, |view| view.instance == InstanceState::Succeeded && view.decisions > 0)
}

fn is_ended_by_its_lease(_: &Ants, world: &World) -> bool {
    world.restarts == 0 && world.foragers.iter().any(|own| own.attempts.contains(&Held::Ended(Ended::Interrupted)))
}
