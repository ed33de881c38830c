//! S10, in the log as it was applied: while an id is taken, no submission under it makes another graph.

use std::collections::BTreeMap;

use antfarm_scheduler::{Command, GraphSource, Reply};

use super::Applied;
use crate::checkers::Violation;

/// The world never lets an id go free again: its dedupe window is longer than any history.
pub(super) fn check(applied: &Applied) -> Result<(), Violation> {
    let mut made = BTreeMap::new();
    for (index, seen) in &applied.seen {
        for (command, answer) in seen.commands.iter().zip(&seen.outcome.answers) {
            let (Command::Submit(GraphSource::Inline(bytes)), Ok(Reply::Submitted { new: true, .. })) =
                (command, answer)
            else {
                continue;
            };
            if let Some(first) = made.insert(bytes, *index) {
                let what = format!("the graph that was submitted at index {first} was new once more at {index}");
                return Err(Violation::new("S10 idempotent submission", what));
            }
        }
    }
    Ok(())
}
