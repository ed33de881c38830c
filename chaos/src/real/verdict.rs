//! What is to be said of a run: sound, a property violated, coverage missing, or the harness broken.

use std::fmt;
use std::path::Path;

use super::tally::{Tally, faults};
use crate::checkers::{Violation, check_evidence};
use crate::history::{Call, Evidence, Phase, What};

/// Without faults, so many submissions a second must have been acknowledged: a run under less shows little.
const LEAST_RATE: f64 = 4.0;

/// What is to be said of a run.
pub(super) enum Verdict {
    /// Every property held, and everything happened that was to happen.
    Sound(Tally),
    /// Properties do not hold.
    Violated { violations: Vec<Violation>, tally: Tally },
    /// Everything held, but the run did not show what it was to show.
    Uncovered { missing: Vec<String>, tally: Tally },
    /// The run could not be made.
    Broken(anyhow::Error),
}

/// Judges the history in a folder.
pub(super) fn judge(folder: &Path) -> Verdict {
    let evidence = match Evidence::load(folder) {
        Ok(evidence) => evidence,
        Err(error) => return Verdict::Broken(error),
    };
    let tally = Tally::of(&evidence);
    let violations = check_evidence(&evidence);
    if !violations.is_empty() {
        return Verdict::Violated { violations, tally };
    }
    let missing = missing(&evidence);
    if missing.is_empty() { Verdict::Sound(tally) } else { Verdict::Uncovered { missing, tally } }
}

/// What a run should have shown and did not.
fn missing(evidence: &Evidence) -> Vec<String> {
    let mut missing = Vec::new();
    let faults = faults(evidence);
    let unconfirmed = faults.iter().filter(|(_, _, confirmed)| !confirmed);
    missing.extend(unconfirmed.map(|(kind, on, _)| format!("{kind} of {on} is not confirmed")));
    let planned = evidence.plan().map(|plan| plan.faults.clone()).unwrap_or_default();
    let never = planned.into_iter().filter(|kind| !faults.iter().any(|(happened, ..)| happened == kind));
    missing.extend(never.map(|kind| format!("there was no {kind}")));
    let rate = calm_rate(evidence);
    if rate < LEAST_RATE {
        missing.push(format!("{rate:.1} submissions/s before the first fault, and at least {LEAST_RATE} are wanted"));
    }
    if evidence.log.entries.is_empty() {
        missing.push("no reader got an event".to_owned());
    }
    missing
}

/// Acknowledged submissions a second before the first fault.
fn calm_rate(evidence: &Evidence) -> f64 {
    let begins = |wanted| {
        evidence.records.iter().position(|record| matches!(record.what, What::Phase { phase } if phase == wanted))
    };
    let (Some(first), Some(last)) = (begins(Phase::Calm), begins(Phase::Faults)) else { return 0.0 };
    let calm = first..last;
    let submitted = evidence
        .succeeded()
        .filter(|success| calm.contains(&success.returned) && matches!(success.op.call, Call::Submit { .. }));
    let seconds = (evidence.records[last].at_us - evidence.records[first].at_us) as f64 / 1e6;
    submitted.count() as f64 / seconds
}

impl Verdict {
    /// In one word or two.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Sound(_) => "sound",
            Self::Violated { .. } => "property violated",
            Self::Uncovered { .. } => "coverage missing",
            Self::Broken(_) => "harness broken",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut list = |lines: Vec<String>, tally: &Tally| {
            writeln!(f, "{}", self.word().to_uppercase())?;
            lines.iter().try_for_each(|line| writeln!(f, "  {line}"))?;
            write!(f, "  {tally}")
        };
        match self {
            Self::Sound(tally) => list(Vec::new(), tally),
            Self::Violated { violations, tally } => list(violations.iter().map(ToString::to_string).collect(), tally),
            Self::Uncovered { missing, tally } => list(missing.clone(), tally),
            Self::Broken(error) => write!(f, "HARNESS BROKEN\n  {error:#}"),
        }
    }
}
