//! Faults on real processes: the shipped binary under work and faults, and the history that it leaves held to its promises.
//!
//! ```text
//!  scenario ──> run ──┬── cluster      queens and foragers, each a process, on a host of its own where there can be hosts
//!                     ├── workload     clients that submit, retry, cancel, read and decide ─┐
//!                     ├── nemesis      faults, one file for each kind, each confirmed       ├──> history, ledger
//!                     ├── watch        events, metrics, digests, logs                       ┘         │
//!                     └── closing      no fault any more: how soon is all well?                       v
//!                                                                        verdict <── checkers of each property
//! ```

mod closing;
mod cluster;
mod config;
mod field;
mod nemesis;
mod network;
mod process;
mod run;
mod scenario;
mod tally;
mod verdict;
mod watch;
mod workload;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use antfarm_testkit::{Hosts, Turn, binary};
use anyhow::{bail, ensure};
use clap::Args;

use crate::random::Random;
use run::{Run, Tempo};
use scenario::{SCENARIOS, Scenario};
use tally::Tally;
use verdict::Verdict;

/// Seeds are so small that people can type them.
const SEEDS: u64 = 1_000_000;

/// What the real tier is asked to do.
#[derive(Debug, Args)]
pub(crate) struct RealArguments {
    /// The scenarios to run, one after the other.
    names: Vec<String>,
    /// List the scenarios.
    #[arg(long)]
    list: bool,
    /// Run every scenario once, then `random` until the minutes are over.
    #[arg(long, conflicts_with = "names")]
    all: bool,
    /// How long `--all` goes on; without it, every scenario runs once.
    #[arg(long, value_name = "M", requires = "all")]
    minutes: Option<u64>,
    /// Decides faults, moments and work; a random one if none is given. The machine decides the rest.
    #[arg(long)]
    seed: Option<u64>,
    /// Where the folders of runs are made; one that was not flawless stays.
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Judge the history in a folder that an earlier run left, instead of running anything.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["names", "all", "list"])]
    judge: Option<PathBuf>,
}

/// Does what was asked.
pub(crate) fn real(arguments: &RealArguments) -> anyhow::Result<()> {
    if let Some(folder) = &arguments.judge {
        return judge(folder);
    }
    if arguments.list {
        for scenario in SCENARIOS {
            println!("{:<26}{}", scenario.name, scenario.about);
        }
        return Ok(());
    }
    ensure!(arguments.all || !arguments.names.is_empty(), "name a scenario (--list shows them), or say --all");
    let mut session = Session::begin(arguments.seed, arguments.folder.clone())?;
    for name in &arguments.names {
        let Some(scenario) = SCENARIOS.iter().find(|scenario| scenario.name == name) else {
            bail!("there is no scenario {name:?}: --list shows them");
        };
        session.play(scenario, Tempo::FULL, true);
    }
    if arguments.all {
        for scenario in SCENARIOS {
            session.play(scenario, Tempo::FULL, false);
        }
        let until = arguments.minutes.map(|minutes| session.began + Duration::from_secs(60 * minutes));
        while until.is_some_and(|until| Instant::now() < until) {
            session.play(scenario::random(), Tempo::FULL, true);
        }
    }
    session.end()
}

/// The short run of the tier that comes before every change.
pub(crate) fn quick() -> anyhow::Result<()> {
    let mut session = Session::begin(None, None)?;
    session.play(scenario::queens(), Tempo::QUICK, true);
    session.end()
}

fn judge(folder: &std::path::Path) -> anyhow::Result<()> {
    let verdict = verdict::judge(folder);
    ensure!(matches!(verdict, Verdict::Sound(_)), "{verdict}");
    println!("{verdict}");
    Ok(())
}

/// Several runs, one after the other.
struct Session {
    began: Instant,
    seeds: Random,
    /// What the first run has; the others follow from it.
    next_seed: u64,
    folder: PathBuf,
    tally: Tally,
    bad: Vec<String>,
    _turn: Turn,
}

impl Session {
    fn begin(seed: Option<u64>, folder: Option<PathBuf>) -> anyhow::Result<Self> {
        let seed = seed.unwrap_or_else(|| antfarm_testkit::seed() % SEEDS);
        let folder = folder.unwrap_or_else(|| std::env::temp_dir().join("antfarm-chaos"));
        std::fs::create_dir_all(&folder)?;
        let folder = folder.canonicalize()?;
        println!("{}; seed {seed}", binary().display());
        if let Err(why) = Hosts::available() {
            println!("no hosts can be made here, so all processes run on loopback: {why}");
        }
        let turn = Turn::take();
        let (tally, bad) = (Tally::default(), Vec::new());
        Ok(Self { began: Instant::now(), seeds: Random::new(seed), next_seed: seed, folder, tally, bad, _turn: turn })
    }

    /// Runs a scenario. One that cannot run here is bad only if it was asked for by its name.
    fn play(&mut self, scenario: &'static Scenario, tempo: Tempo, was_named: bool) {
        let seed = std::mem::replace(&mut self.next_seed, self.seeds.below(SEEDS));
        if !scenario.can_run() {
            println!("{:<26}NOT RUN: it needs hosts of their own", scenario.name);
            if was_named {
                self.bad.push(format!("{} cannot run here", scenario.name));
            }
            return;
        }
        let began = Instant::now();
        let run = Run { scenario, seed, tempo, folder: self.folder.join(format!("{}-{seed}", scenario.name)) };
        let verdict = run.play();
        let seconds = began.elapsed().as_secs_f64();
        match &verdict {
            Verdict::Sound(tally) => {
                println!("{:<26}sound, seed {seed}, {seconds:.0} s: {tally}", scenario.name);
                self.tally.add(tally);
                run.forget();
            }
            Verdict::Violated { .. } | Verdict::Uncovered { .. } | Verdict::Broken(_) => {
                let kept = run.folder.display();
                println!("{:<26}seed {seed}, {seconds:.0} s: {verdict}\n  kept: {kept}", scenario.name);
                println!("  again: cargo run --release -p chaos -- real {} --seed {seed}", scenario.name);
                println!("  judge again: cargo run --release -p chaos -- real --judge {kept}");
                self.bad.push(format!("{} with seed {seed}: {}", scenario.name, verdict.word()));
            }
        }
    }

    fn end(self) -> anyhow::Result<()> {
        println!("{:.1} min; {}; {} not sound", self.began.elapsed().as_secs_f64() / 60.0, self.tally, self.bad.len());
        ensure!(self.bad.is_empty(), "{}", self.bad.join("; "));
        Ok(())
    }
}
