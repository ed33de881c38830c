//! S7, in the log as it was applied: the final state of an instance is its last, and no result comes from an attempt that was
//! closed because its forager was lost, but where somebody would have to decide otherwise.

use std::collections::{BTreeMap, BTreeSet};

use antfarm_model::ForagerNo;
use antfarm_scheduler::{Command, Event, InstanceId, InstanceState};

use super::{Applied, Seen};
use crate::checkers::Violation;

const PROPERTY: &str = "S7 one accepted result";

/// By forager the fences of its open attempts.
type Open = BTreeMap<ForagerNo, BTreeSet<(InstanceId, u64)>>;

pub(super) fn check(applied: &Applied) -> Result<(), Violation> {
    let (mut ended, mut open, mut lost) = (BTreeMap::new(), Open::new(), BTreeSet::new());
    for (index, seen) in &applied.seen {
        for event in &seen.outcome.events {
            let Event::Instances { instances, from, state, attempt } = event else { continue };
            for id in instances.iter() {
                if let Some(before) = ended.get(&id) {
                    let what = format!("{id} is {state} at index {index}, and was {before}");
                    return Err(Violation::new(PROPERTY, what));
                }
                if state.is_final() {
                    ended.insert(id, *state);
                }
                let Some((forager, fence)) = attempt.map(|(forager, fence)| (forager, fence.0)) else { continue };
                if *state == InstanceState::Assigned {
                    open.entry(forager).or_default().insert((id, fence));
                }
                let is_late = *from != InstanceState::NeedsDecision && lost.contains(&(id, fence));
                if *state == InstanceState::Succeeded && is_late {
                    let what = format!("{id} took a result at index {index} of its attempt {fence}, which was lost");
                    return Err(Violation::new(PROPERTY, what));
                }
            }
        }
        lost.extend(losses(seen).flat_map(|forager| open.remove(&forager).unwrap_or_default()));
    }
    Ok(())
}

/// Foragers that an entry loses.
fn losses(seen: &Seen) -> impl Iterator<Item = ForagerNo> {
    let answered = seen.commands.iter().zip(&seen.outcome.answers).filter(|(_, answer)| answer.is_ok());
    answered.filter_map(|(command, _)| if let Command::Lose { forager, .. } = command { Some(*forager) } else { None })
}
