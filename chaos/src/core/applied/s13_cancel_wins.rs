//! S13, in the log as it was applied: nothing of a graph is assigned behind its cancellation.

use std::collections::BTreeMap;

use antfarm_scheduler::Command;

use super::Applied;
use crate::checkers::Violation;

pub(super) fn check(applied: &Applied) -> Result<(), Violation> {
    let mut cancelled = BTreeMap::new();
    for (index, command) in applied.done() {
        if let Command::CancelGraph { graph } = command {
            cancelled.entry(*graph).or_insert(index);
        }
        if let Command::Assign { instances, .. } = command
            && let Some(at) = cancelled.get(&instances.graph)
        {
            let what = format!("graph {} was assigned from at index {index}, and cancelled at {at}", instances.graph);
            return Err(Violation::new("S13 cancel wins", what));
        }
    }
    Ok(())
}
