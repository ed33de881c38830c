//! S7, in the log as it was applied: the final state of an instance is its last.

use std::collections::BTreeMap;

use antfarm_scheduler::Event;

use super::Applied;
use crate::checkers::Violation;

pub(super) fn check(applied: &Applied) -> Result<(), Violation> {
    let mut ended = BTreeMap::new();
    for outcome in applied.outcomes() {
        for event in &outcome.events {
            let Event::Instances { instances, state, .. } = event else { continue };
            for id in instances.iter() {
                if let Some(before) = ended.get(&id) {
                    let what = format!("{id} is {state} at index {}, and was {before}", outcome.position.index);
                    return Err(Violation::new("S7 one accepted result", what));
                }
                if state.is_final() {
                    ended.insert(id, *state);
                }
            }
        }
    }
    Ok(())
}
