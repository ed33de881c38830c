//! The whole cluster in one process: real queens, foragers and clients on simulated machines, decided by one seed.
//!
//! ```text
//!  seed ──> plan ──> world ──┬── machines     each a daemon with clocks, a disk, tasks of its own ─┐
//!                            ├── network      streams over links that are cut, slow, lossy         ├──> chronicle, ledger
//!                            ├── clients      submit, retry, cancel, read, decide, look on         ┘         │
//!                            └── nemesis      the faults of the plan                                         v
//!                                                                            verdict <── checkers of each property
//! ```
//!
//! Time is virtual, there is one thread, and every random number comes from the seed: a seed gives the same bytes twice.

mod chronicle;
mod client;
mod clock;
mod closing;
mod diary;
mod disk;
mod engine;
mod field;
mod hang;
mod inside;
mod life;
mod logs;
mod machine;
mod nemesis;
mod network;
mod panics;
mod plan;
mod report;
mod run;
mod seeds;
mod sink;
#[cfg(test)]
mod tests;
mod verdict;
mod watch;
mod workshop;
mod world;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::ensure;
use clap::Args;

use crate::checkers::{Violation, check_evidence};
use plan::Plan;
use seeds::Seeds;
use verdict::{Verdict, judge, shrink};

#[cfg(not(tokio_unstable))]
compile_error!(
    "the simulation needs tokio's seeded scheduler: build with --cfg tokio_unstable, as .cargo/config.toml says, and do not set RUSTFLAGS without it"
);

/// Seeds of the tier that comes before every change, and for how long it goes on with more.
const QUICK_SEEDS: u64 = 60;
const QUICK_FOR: Duration = Duration::from_mins(2);

/// What the simulation is asked to do.
#[derive(Debug, Args)]
pub(crate) struct SimArguments {
    /// How many seeds to run.
    #[arg(long, default_value_t = 100)]
    seeds: u64,
    /// The first one.
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// Of the faults of the first seed only these happen, and no other seed is run.
    #[arg(long, value_name = "NUMBER,…", value_delimiter = ',')]
    only: Option<Vec<u64>>,
    /// Where the trace of the first seed is written.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Seeds that run at the same time; as many as there are processors, if nothing is said.
    #[arg(long)]
    threads: Option<usize>,
}

/// Does what was asked.
pub(crate) fn sim(arguments: &SimArguments) -> anyhow::Result<()> {
    if arguments.only.is_some() || arguments.trace.is_some() {
        return look_at(arguments);
    }
    let threads = arguments.threads.or_else(|| std::thread::available_parallelism().ok().map(usize::from)).unwrap_or(1);
    many(&Seeds::new(arguments.from..arguments.from.saturating_add(arguments.seeds)), threads)
}

/// The seeds of the tier that comes before every change: so many in any case, and more if there is time.
pub(crate) fn quick() -> anyhow::Result<()> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    many(&Seeds::within(0..u64::MAX, QUICK_SEEDS, QUICK_FOR), threads)
}

/// Runs a seed, and says what is violated.
pub(crate) fn check(seed: u64) -> anyhow::Result<Vec<Violation>> {
    panics::listen(seed);
    Ok(check_evidence(&run::run(&Plan::of(seed))?.evidence))
}

/// Runs many seeds, and says what they contained; the first violation ends it.
fn many(seeds: &Seeds, threads: usize) -> anyhow::Result<()> {
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(|| seeds.work()))));
    let (report, took, violated) = seeds.end();
    if let Some(violated) = violated {
        eprintln!("seed {} violates something; looking for fewer faults that do", violated.plan.seed);
        return Err(say(shrink(violated))?);
    }
    println!("{report}; {:.0} times real time", report.ratio(took));
    let missing = report.missing(nemesis::KINDS);
    ensure!(missing.is_empty(), "coverage missing: these faults never took effect: {missing:?}");
    Ok(())
}

/// Runs one seed, perhaps without some of its faults, and keeps its trace.
fn look_at(arguments: &SimArguments) -> anyhow::Result<()> {
    let plan = Plan::of(arguments.from);
    let plan = match &arguments.only {
        Some(numbers) => plan.only(numbers),
        None => plan,
    };
    if let Some(path) = &arguments.trace {
        std::fs::write(path, run::run(&plan)?.trace)?;
    }
    match judge(&plan) {
        Verdict::Sound(report) => println!("{report}"),
        Verdict::Violated(violated) => return Err(say(*violated)?),
    }
    Ok(())
}

/// Says what is violated, by which faults, and how to see it again. The trace is kept.
fn say(violated: verdict::Violated) -> anyhow::Result<anyhow::Error> {
    let verdict::Violated { plan, what, trace } = violated;
    let path = std::env::temp_dir().join(format!("antfarm-sim-{}.trace", plan.seed));
    std::fs::write(&path, trace)?;
    let faults: Vec<String> = plan.faults.iter().map(|fault| format!("  {fault}")).collect();
    let numbers: Vec<String> = plan.faults.iter().map(|fault| fault.number.to_string()).collect();
    Ok(anyhow::anyhow!(
        "seed {}: {}\nwith these faults, {} queens, and a minority that is {:?}:\n{}\ntrace: {}\nreplay: cargo run --release -p chaos -- sim --from {} --only {}",
        plan.seed,
        what.join("\n  "),
        plan.queens,
        plan.minority,
        faults.join("\n"),
        path.display(),
        plan.seed,
        numbers.join(","),
    ))
}
