//! Finished graphs that have been kept long enough.

use super::{Now, Policy};
use crate::command::Command;
use crate::in_flight::InFlight;
use crate::state::State;

/// Graphs that are removed by one decision.
const MAX_REMOVALS: usize = 16;

pub(super) fn retire(state: &State, in_flight: &InFlight, now: Now, policy: &Policy) -> Vec<Command> {
    state
        .index
        .finished
        .iter()
        .take_while(|(finished, _)| finished.plus(policy.retention) <= now.elapsed)
        .map(|(_, graph)| *graph)
        .filter(|graph| !in_flight.removes_graph(*graph) && state.open_attempts(*graph).next().is_none())
        .take(MAX_REMOVALS)
        .map(|graph| Command::RemoveGraph { graph, dedupe_window: policy.dedupe_window })
        .collect()
}
