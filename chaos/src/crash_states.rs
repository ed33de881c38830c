//! Crash states: what a power cut may leave of a store at any moment, each recovered and judged.
//!
//! ```text
//!  workload ── recorder (a disk in memory, or a mounted file system) ──▶ operations
//!                                                                            │ cut after each
//!       judge ◀── recover ◀── files ◀── subsets, torn writes, zeros ◀────────┘
//! ```

mod contents;
mod cut;
mod damage;
mod enumeration;
mod examination;
mod files;
mod judge;
mod operation;
mod recorder;
mod recording_disk;
mod recording_mount;
mod sled;
mod subject;
mod subjects;
mod tally;

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests;

use std::time::Instant;

use anyhow::{bail, ensure};
use clap::{Args, ValueEnum};

use crate::checkers::Violation;
use crate::crash_states::damage::DamageClass;
use crate::crash_states::enumeration::Bounds;
use crate::crash_states::examination::{MakeStore, Scope, examine};
use crate::crash_states::sled::Recoverer;
use crate::crash_states::subject::{Store, Story, Subject};
use crate::crash_states::subjects::{journal, log, segments, small_file, snapshots};

pub(crate) use crate::crash_states::sled::answer_questions;

/// What the tier in CI looks at.
const QUICK: Scope = Scope {
    bounds: Bounds { subsets: 64, torn: 4 },
    most_states: 1_500,
    most_damaged: 1_500,
    recoveries_every: 1,
    seed: 0,
};

/// Everything, up to the bound of subsets at each moment.
const FULL: Scope = Scope {
    bounds: Bounds { subsets: 256, torn: usize::MAX },
    most_states: usize::MAX,
    most_damaged: usize::MAX,
    recoveries_every: 1,
    seed: 0,
};

/// The damage that the engine on sled notices. A flipped bit in a log of several of its segments may take the last records
/// with it, unnoticed: a reason why it is not the default.
const SLED_NOTICES: [DamageClass; 3] = [DamageClass::CutShort, DamageClass::Gone, DamageClass::Stale];

/// Where a recovery is a matter of milliseconds, it is looked into few of them.
const SLOW_RECOVERIES_EVERY: usize = 100;

/// What the tier in CI looks at of a long story, whose files have megabytes.
const QUICK_LONG: Scope = Scope {
    bounds: Bounds { subsets: 3, torn: 1 },
    most_states: 200,
    most_damaged: 300,
    recoveries_every: 200,
    seed: 0,
};

/// What can be looked at of it in a quarter of an hour.
const FULL_LONG: Scope = Scope {
    bounds: Bounds { subsets: 32, torn: 4 },
    most_states: 5_000,
    most_damaged: 5_000,
    recoveries_every: 400,
    seed: 0,
};

/// What one seed looks at, where mistakes are made on purpose.
const SCORED: Scope = Scope {
    bounds: Bounds { subsets: 16, torn: 2 },
    most_states: 400,
    most_damaged: 400,
    recoveries_every: 10,
    seed: 0,
};

/// A store in which mistakes can be made on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Examined {
    Snapshots,
    Journal,
}

/// Examines a sample of the crash states of a store, and says what it does not survive.
pub(crate) fn violations(store: Examined, seed: u64) -> anyhow::Result<Vec<Violation>> {
    let (subject, property) = match store {
        Examined::Snapshots => (snapshots::SNAPSHOTS, "S14 a crash leaves a snapshot whole or absent"),
        Examined::Journal => (journal::JOURNAL, "S18 damage is detected"),
    };
    let tally = examine(&subject.story()?, Scope { seed, ..SCORED }, subject.notices, &|| Box::new(subject));
    Ok(tally.words().map(|what| Violation::new(property, what.clone())).collect())
}

/// A log engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Engine {
    Segments,
    Sled,
}

#[derive(Debug, Args)]
pub(crate) struct CrashArguments {
    /// Only this log engine; otherwise all stores.
    #[arg(long)]
    engine: Option<Engine>,
    /// Every state up to the bound, instead of a sample.
    #[arg(long)]
    full: bool,
    /// From which samples are drawn.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

/// Examines the crash states of all stores, or of one engine.
pub(crate) fn crash(arguments: &CrashArguments) -> anyhow::Result<()> {
    let (scope, long) = if arguments.full { (FULL, FULL_LONG) } else { (QUICK, QUICK_LONG) };
    let scope = Scope { seed: arguments.seed, ..scope };
    let long = Scope { seed: arguments.seed, ..long };
    println!("samples are drawn with seed {}", arguments.seed);
    let wanted = |engine| arguments.engine.is_none_or(|wanted| wanted == engine);
    let mut violated = 0;
    if arguments.engine.is_none() {
        for subject in [snapshots::SNAPSHOTS, journal::JOURNAL, small_file::SMALL_FILE] {
            violated += on_disk(subject, scope)?;
        }
    }
    if wanted(Engine::Segments) {
        violated += on_disk(segments::SEGMENTS, scope)?;
        violated += on_disk(segments::LONG_SEGMENTS, long)?;
    }
    if wanted(Engine::Sled) {
        violated += on_sled("sled", log::varied(), Scope { recoveries_every: SLOW_RECOVERIES_EVERY, ..scope })?;
        violated += on_sled("sled, long", log::long(), long)?;
    }
    ensure!(violated == 0, "{violated} violations");
    Ok(())
}

fn on_disk(subject: Subject, scope: Scope) -> anyhow::Result<usize> {
    let story = subject.story()?;
    Ok(report(subject.name, &story, scope, subject.notices, subject.notices, &|| Box::new(subject)))
}

fn on_sled(name: &str, lives: log::Lives, scope: Scope) -> anyhow::Result<usize> {
    let story = match sled::story(lives) {
        Ok(story) => story,
        Err(error) if std::env::var_os("ANTFARM_NO_SKIP").is_none() => {
            println!("{name}: not examined, because {error:#}");
            return Ok(0);
        }
        Err(error) => bail!("{error:#}, and ANTFARM_NO_SKIP is set"),
    };
    let store = || -> Box<dyn Store> { Box::new(Recoverer::new().expect("a folder for crash states")) };
    Ok(report(name, &story, scope, &DamageClass::ALL, &SLED_NOTICES, &store))
}

/// Says what was found, and how much of it is held against the store: no crash may harm it, but not all damage is noticed.
fn report(
    name: &str,
    story: &Story,
    scope: Scope,
    damage: &[DamageClass],
    notices: &[DamageClass],
    store: MakeStore<'_>,
) -> usize {
    let kinds: Vec<_> = story.recording.kinds().into_iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    println!("\n{name}: recorded {}", kinds.join(", "));
    let began = Instant::now();
    let tally = examine(story, scope, damage, store);
    print!("{tally}");
    let (enumerated, examined) = (tally.enumerated, tally.examined());
    println!("  {enumerated} crash states, {examined} recoveries in {:.1} s", began.elapsed().as_secs_f64());
    for violation in tally.words() {
        println!("  VIOLATION {violation}");
    }
    let (all, held) = (tally.violated(), tally.held_against(notices));
    if all > held {
        println!("  {} of {all} are known, and not held against it: `FOUND.md`", all - held);
    }
    held
}
