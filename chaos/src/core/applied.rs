//! What replicas answered when they applied the log: an index has one outcome, whoever applies it.

mod s07_one_result;
mod s10_idempotent_submission;
mod s13_cancel_wins;

use std::collections::BTreeMap;

use antfarm_scheduler::{Command, Outcome};

use crate::checkers::Violation;

/// An entry, and what the first replica answered that applied it.
#[derive(Debug)]
struct Seen {
    commands: Vec<Command>,
    outcome: Outcome,
}

/// The log as it was applied, by index.
#[derive(Debug, Default)]
pub(super) struct Applied {
    seen: BTreeMap<u64, Seen>,
    /// The first index at which another replica answered otherwise.
    differs: Option<u64>,
}

impl Applied {
    /// A replica applied an entry.
    pub(super) fn note(&mut self, commands: &[Command], outcome: &Outcome) {
        let index = outcome.position.index.0;
        let commands = || Seen { commands: commands.to_vec(), outcome: outcome.clone() };
        if self.seen.entry(index).or_insert_with(commands).outcome != *outcome {
            self.differs.get_or_insert(index);
        }
    }

    pub(super) fn check(&self) -> Result<(), Violation> {
        s07_one_result::check(self)?;
        s10_idempotent_submission::check(self)?;
        s13_cancel_wins::check(self)?;
        match self.differs {
            Some(index) => {
                let what = format!("two replicas answered otherwise when they applied index {index}");
                Err(Violation::new("S15 deterministic apply", what))
            }
            None => Ok(()),
        }
    }

    /// All commands that were not refused, with their indexes.
    fn done(&self) -> impl Iterator<Item = (u64, &Command)> {
        self.seen.iter().flat_map(|(index, seen)| {
            let answered = seen.commands.iter().zip(&seen.outcome.answers);
            answered.filter(|(_, answer)| answer.is_ok()).map(|(command, _)| (*index, command))
        })
    }
}
