//! Who is not heard: suspect at once, lost when its lease is certainly over.

use antfarm_model::Elapsed;

use super::{Liveness, Now, Policy};
use crate::command::Command;
use crate::forager::Forager;
use crate::in_flight::InFlight;
use crate::state::State;

/// Heartbeats that may be missing before a forager is suspect whose connection did not break.
const MISSED_HEARTBEATS: u64 = 3;

pub(super) fn judge(
    state: &State,
    in_flight: &InFlight,
    now: Now,
    liveness: &Liveness,
    policy: &Policy,
) -> Vec<Command> {
    state
        .foragers()
        .filter(|forager| !forager.lost && !in_flight.touches_forager(forager.no))
        .filter_map(|forager| verdict(forager, now.elapsed, liveness, policy))
        .collect()
}

fn verdict(forager: &Forager, now: Elapsed, liveness: &Liveness, policy: &Policy) -> Option<Command> {
    let Forager { no, incarnation, .. } = *forager;
    let (contact, heard_at) = (liveness.contact(forager), liveness.heard_at(forager));
    if policy.lease().is_over(heard_at, now) {
        return Some(Command::Lose { forager: no, incarnation });
    }
    let silence = now.since(heard_at);
    // Of one that this leader never heard, no connection broke: after a failover it may still be opening one.
    let broken_at = contact.and_then(|contact| contact.broken_at);
    let broken = broken_at.is_some_and(|broken_at| now.since(broken_at) > policy.heartbeat);
    let missed = silence.0 > policy.heartbeat.0 * MISSED_HEARTBEATS;
    match (broken || missed, forager.suspect) {
        (true, false) => Some(Command::Suspect { forager: no, incarnation }),
        (false, true) if contact.is_some_and(|contact| contact.broken_at.is_none()) => {
            Some(Command::Trust { forager: no, incarnation })
        }
        (true | false, _) => None,
    }
}
