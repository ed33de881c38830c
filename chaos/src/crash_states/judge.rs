//! Whether what was found after a crash is what may be found.

use crate::crash_states::contents::{Contents, difference};
use crate::crash_states::subject::Refusal;

/// What a recovery came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It holds what it held after so many steps.
    Sound(usize),
    /// It says that it is damaged.
    Refused(String),
    /// Something is wrong with it.
    Violation(String),
}

/// After a crash everything promised must be there, and nothing that was never begun.
pub(crate) fn after_crash(
    history: &[Contents],
    acknowledged: usize,
    began: usize,
    found: &Result<Contents, Refusal>,
) -> Verdict {
    match found {
        Err(refusal) => {
            Verdict::Violation(format!("nothing durable was damaged, and it does not open: {}", refusal.text))
        }
        Ok(contents) => match history[acknowledged..=began].iter().position(|state| state == contents) {
            Some(more) => Verdict::Sound(acknowledged + more),
            None => Verdict::Violation(wrong(history, acknowledged, contents)),
        },
    }
}

/// What was damaged on purpose must be noticed, or make no difference.
pub(crate) fn after_damage(history: &[Contents], found: &Result<Contents, Refusal>) -> Verdict {
    let last = history.len() - 1;
    match found {
        Err(refusal) if refusal.damage => Verdict::Refused(refusal.text.clone()),
        Err(refusal) => Verdict::Violation(format!("it fails without saying what is damaged: {}", refusal.text)),
        Ok(contents) if *contents == history[last] => Verdict::Sound(last),
        Ok(contents) => Verdict::Violation(wrong(history, last, contents)),
    }
}

fn wrong(history: &[Contents], acknowledged: usize, found: &Contents) -> String {
    match history[..acknowledged].iter().rposition(|state| state == found) {
        Some(steps) => format!(
            "{acknowledged} steps were promised, and {steps} are left: {}",
            difference(found, &history[acknowledged])
        ),
        None => format!(
            "it never held that; against what {acknowledged} promised steps make: {}",
            difference(found, &history[acknowledged])
        ),
    }
}
