//! Faults on purpose: finds histories in which a promise of the scheduler breaks, and says how to replay them.

mod checkers;
mod core;
mod crash_states;
mod fuzz;
mod history;
mod model;
mod random;
mod real;
mod scenes;
mod score;
mod sim;
mod work;

use std::ops::Range;
use std::time::Instant;

use anyhow::bail;
use clap::{Parser, Subcommand};

/// Seeds of the tier that runs before every change lands.
const QUICK_SEEDS: u64 = 5_000;

#[derive(Debug, Parser)]
#[command(about = "Looks for histories in which a promise of the scheduler breaks")]
struct Arguments {
    #[command(subcommand)]
    tier: Tier,
}

#[derive(Debug, Subcommand)]
enum Tier {
    /// What runs before every change lands.
    Quick,
    /// The pure core over an abstract log: leaders come and go, messages are late, lost, doubled and reordered.
    Core {
        /// How many seeds to run.
        #[arg(long, default_value_t = 10_000)]
        seeds: u64,
        /// The first one.
        #[arg(long, default_value_t = 0)]
        from: u64,
    },
    /// Hostile bytes for every decoder.
    Fuzz(fuzz::FuzzArguments),
    /// What a power cut may leave of logs, votes, snapshots and journals, each recovered and judged.
    Crash(crash_states::CrashArguments),
    /// Opens logs on behalf of `crash`, in a process that may end.
    #[command(hide = true)]
    RecoverLog,
    /// Every interleaving of two leaders, two foragers, one node and two attempts, with all rules and without each.
    Model {
        /// Visit the largest scope, too: millions of states.
        #[arg(long)]
        deep: bool,
    },
    /// The shipped binary as real processes, under work and faults.
    Real(real::RealArguments),
    /// Makes mistakes on purpose, one after the other, in a build for that: each must be found.
    Score(score::ScoreArguments),
    /// One of them, or none, in one layer; what `score` runs.
    Trial(score::TrialArguments),
    /// The whole cluster in one process: real consensus, transport, API, foragers and clients on simulated machines.
    Sim(sim::SimArguments),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().tier {
        Tier::Quick => {
            core_seeds(0..QUICK_SEEDS)?;
            sim::quick()?;
            real::quick()
        }
        Tier::Core { seeds, from } => core_seeds(from..from.saturating_add(seeds)),
        Tier::Fuzz(arguments) => fuzz::fuzz(&arguments),
        Tier::Crash(arguments) => crash_states::crash(&arguments),
        Tier::RecoverLog => crash_states::answer_questions(),
        Tier::Model { deep } => model::model(deep),
        Tier::Real(arguments) => real::real(&arguments),
        Tier::Score(arguments) => score::score(&arguments),
        Tier::Trial(arguments) => score::trial(&arguments),
        Tier::Sim(arguments) => sim::sim(&arguments),
    }
}

fn core_seeds(seeds: Range<u64>) -> anyhow::Result<()> {
    let began = Instant::now();
    let mut total = core::Summary::default();
    for seed in seeds.clone() {
        match core::run(seed) {
            Ok(summary) => total.add(&summary),
            Err(violation) => {
                bail!("seed {seed}: {violation}\nreplay: cargo run -p chaos -- core --from {seed} --seeds 1")
            }
        }
    }
    if seeds.end - seeds.start >= QUICK_SEEDS {
        total.check_coverage()?;
    }
    let simulated = total.simulated.as_secs_f64() / 3_600.0;
    let ratio = total.simulated.as_secs_f64() / began.elapsed().as_secs_f64().max(f64::EPSILON);
    println!("{} seeds, {simulated:.1} simulated hours, {ratio:.0} times real time; {total}", seeds.end - seeds.start);
    Ok(())
}
