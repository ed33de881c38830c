//! What is to be said of a run: sound, a property violated, coverage missing, or the harness broken.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::time::Duration;

use super::tally::{Tally, faults};
use crate::checkers::{Agreement, Violation, check_evidence, compare_linearizability};
use crate::history::{Call, Evidence, Mark, Phase, What};

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
    let agreement = match compare_linearizability(&evidence) {
        Ok(agreement) => agreement,
        Err(disagreement) => return Verdict::Broken(anyhow::anyhow!(disagreement)),
    };
    let tally = Tally::of(&evidence, agreement);
    let violations = check_evidence(&evidence);
    if !violations.is_empty() {
        return Verdict::Violated { violations, tally };
    }
    let missing = missing(&evidence, agreement);
    if missing.is_empty() { Verdict::Sound(tally) } else { Verdict::Uncovered { missing, tally } }
}

/// What a run should have shown and did not.
fn missing(evidence: &Evidence, agreement: Agreement) -> Vec<String> {
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
    let subjects = subjects(evidence).into_iter().filter(|(_, number)| *number == 0);
    missing.extend(subjects.map(|(subject, _)| format!("there is no {subject}, so nothing was shown about it")));
    if agreement.witnessed == 0 {
        missing.push("there is no graph for which both checks of linearizability had something to say".to_owned());
    }
    missing
}

/// What properties are about, and how much of it there is: of nothing, everything holds.
fn subjects(evidence: &Evidence) -> [(&'static str, usize); 8] {
    let mut queens = BTreeMap::<u64, BTreeSet<u16>>::new();
    for record in &evidence.records {
        if let What::Position { applied, queen, .. } = &record.what {
            queens.entry(*applied).or_default().insert(*queen);
        }
    }
    let successes = |wanted: fn(&Call) -> bool| evidence.succeeded().filter(|one| wanted(&one.op.call)).count();
    let said = |wanted: fn(&What) -> bool| evidence.records.iter().filter(|record| wanted(&record.what)).count();
    let irrevocable = evidence.ledger.iter().filter(|line| {
        let node = evidence.graphs.get(&line.graph).and_then(|graph| graph.node(&line.node));
        line.event == Mark::Start && node.is_some_and(|node| node.tool.is_irrevocable())
    });
    [
        ("leadership in a queen's log", said(|what| matches!(what, What::Leads { .. }))),
        ("epoch in a forager's log", said(|what| matches!(what, What::Learnt { .. }))),
        ("digest of two queens at one index", queens.values().filter(|queens| queens.len() > 1).count()),
        ("cancellation that was acknowledged", successes(|call| matches!(call, Call::Cancel { .. }))),
        ("linearizable read", successes(|call| matches!(call, Call::Read { stale: false, .. }))),
        ("stale read", successes(|call| matches!(call, Call::Read { stale: true, .. }))),
        ("irrevocable attempt", irrevocable.count()),
        ("entry that readers of events saw", evidence.log.entries.len()),
    ]
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
    let lasted = Duration::from_micros(evidence.records[last].at_us - evidence.records[first].at_us);
    f64::from(u32::try_from(submitted.count()).unwrap_or(u32::MAX)) / lasted.as_secs_f64()
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
