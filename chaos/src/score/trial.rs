//! One mistake, or none, in one layer: what a process of its own does, because a process chooses once.

use std::panic::catch_unwind;
use std::time::Instant;

use antfarm_planted::{Bug, plant};
use anyhow::ensure;
use serde::{Deserialize, Serialize};

use super::choice::bug;
use super::layer::Layer;
use crate::checkers::Violation;

/// What to run.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct TrialArguments {
    /// The mistake to make; none, if none.
    #[arg(long, value_parser = bug)]
    pub(super) bug: Option<Bug>,
    /// Where to look for what it violates.
    #[arg(long, value_parser = Layer::named)]
    pub(super) layer: Layer,
    /// How many seeds to run at most, from 0.
    #[arg(long)]
    pub(super) seeds: u64,
}

/// What a trial says at its end, as its only line on standard output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Verdict {
    /// How many seeds were run.
    pub(super) seeds: u64,
    /// How long that took.
    pub(super) ms: u64,
    /// What was violated, if anything was.
    pub(super) found: Option<Found>,
}

/// A violation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Found {
    pub(super) property: String,
    pub(super) what: String,
}

/// Runs seeds until something is violated, and says what.
pub(crate) fn trial(arguments: &TrialArguments) -> anyhow::Result<()> {
    if let Some(bug) = arguments.bug {
        ensure!(plant(bug), "this build makes no mistakes: `score` makes one that does");
    }
    let began = Instant::now();
    let mut verdict = Verdict { seeds: 0, ms: 0, found: None };
    for seed in 0..arguments.seeds {
        verdict.seeds += 1;
        verdict.found = look(arguments, seed);
        if verdict.found.is_some() {
            break;
        }
    }
    verdict.ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    println!("{}", serde_json::to_string(&verdict)?);
    Ok(())
}

/// What the history of a seed violates. A mistake counts as found by the checker of a property, safety or liveness; that a
/// process panics, or a run cannot be made, is not enough, but where no mistake is made it is too much.
fn look(arguments: &TrialArguments, seed: u64) -> Option<Found> {
    let (layer, is_control) = (arguments.layer, arguments.bug.is_none());
    let crashed = |what| Found { property: "P0 no crash".to_owned(), what: format!("seed {seed}: {what}") };
    let violations = match catch_unwind(|| layer.run(seed)) {
        Ok(Ok(violations)) => violations,
        Ok(Err(error)) => return is_control.then(|| crashed(format!("{error:#}"))),
        Err(_) => return is_control.then(|| crashed("it panicked".to_owned())),
    };
    let counts = |violation: &&Violation| is_control || violation.property().starts_with(['S', 'L']);
    violations
        .iter()
        .find(counts)
        .map(|violation| Found { property: violation.property().to_owned(), what: format!("seed {seed}: {violation}") })
}
