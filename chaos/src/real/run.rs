//! One run: a cluster, work, faults, the end of all faults, and the verdict.

use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

use super::cluster::Cluster;
use super::config::{FORAGERS, MODEL_SLOTS, QUEENS, SLOTS};
use super::field::{Field, PATIENCE};
use super::scenario::Scenario;
use super::verdict::{Verdict, judge};
use super::{closing, nemesis, watch, workload};
use crate::history::{Phase, Plan, Recorder, What};
use crate::random::Random;
use crate::work::PROGRAMS;

/// Clients that work.
const CLIENTS: usize = 4;

/// A cluster is up within this time.
const UP_WITHIN: Duration = Duration::from_secs(30);

/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(30);

/// How long the parts of a run take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tempo {
    calm: Duration,
    faults: Duration,
}

impl Tempo {
    pub(super) const FULL: Self = Self { calm: Duration::from_secs(3), faults: Duration::from_secs(20) };
    pub(super) const QUICK: Self = Self { calm: Duration::from_secs(2), faults: Duration::from_secs(12) };
}

/// A run that is to be.
pub(super) struct Run {
    pub(super) scenario: &'static Scenario,
    pub(super) seed: u64,
    pub(super) tempo: Tempo,
    /// Where everything of it stands.
    pub(super) folder: PathBuf,
}

impl Run {
    /// Plays it, and judges it.
    pub(super) fn play(&self) -> Verdict {
        match self.record() {
            Ok(()) => judge(&self.folder),
            Err(error) => Verdict::Broken(error),
        }
    }

    /// Removes what it left.
    pub(super) fn forget(&self) {
        let _ = fs::remove_dir_all(&self.folder); // what cannot be removed does no harm
    }

    /// Leaves a history in the folder.
    fn record(&self) -> anyhow::Result<()> {
        let _ = fs::remove_dir_all(&self.folder); // of an earlier run with the same seed
        fs::create_dir_all(&self.folder).with_context(|| format!("{} cannot be made", self.folder.display()))?;
        let ledger = self.folder.join("ledger");
        fs::write(&ledger, "")?;
        let ledger = ledger.to_str().context("the folder has a name in UTF-8")?;
        let cluster = Cluster::prepare(&self.folder, ledger)?;
        let recorder = Recorder::create(&self.folder)?;
        cluster.network.among_clients(|| self.play_on(&cluster, &recorder, ledger))?;
        recorder.finish()
    }

    fn play_on(&self, cluster: &Cluster, recorder: &Recorder, ledger: &str) -> anyhow::Result<()> {
        let mut random = Random::new(self.seed);
        let mut scribe = recorder.scribe("nemesis");
        scribe.write(What::Clock { wall_ms: super::workload::wall_ms() });
        scribe.write(What::Plan(self.plan(cluster)));
        cluster.start_all()?;
        come_up(cluster)?;
        let field = Field::new(cluster, recorder, ledger);
        field.enter(Phase::Calm, &mut scribe);
        thread::scope(|threads| {
            let field = &field;
            for queen in 1..=QUEENS {
                threads.spawn(move || watch::read_events(field, queen));
                threads.spawn(move || watch::poll(field, queen));
            }
            let guard = self.scenario.needs_guard();
            for number in 1..=CLIENTS {
                let random = Random::new(random.next());
                threads.spawn(move || workload::work(field, number, guard, random));
            }
            let (deciding, disturbing) = (Random::new(random.next()), Random::new(random.next()));
            threads.spawn(move || workload::decide(field, deciding));
            threads.spawn(move || workload::disturb(field, disturbing));
            threads.spawn(move || watch::watch_memory(field));
            threads.spawn(move || watch::watch_waits(field));
            let ended = self.direct(field, &mut scribe, &mut random);
            // Whatever came of it, the others must see that it is over: their queens go away.
            field.enter(Phase::Closing, &mut scribe);
            let killed = cluster.kill_all();
            ended.and(killed)
        })?;
        watch::read_logs(cluster, &mut scribe);
        Ok(())
    }

    /// The course of events.
    fn direct(
        &self,
        field: &Field<'_>,
        scribe: &mut crate::history::Scribe<'_>,
        random: &mut Random,
    ) -> anyhow::Result<()> {
        thread::sleep(self.tempo.calm);
        field.enter(Phase::Faults, scribe);
        let moves = self.scenario.possible_moves();
        nemesis::torment(field.cluster, scribe, random, (&moves, self.scenario.in_pairs), self.tempo.faults)?;
        field.enter(Phase::Healed, scribe);
        let has_leader = closing::settle(field, scribe)?;
        field.cluster.report_deaths(scribe)?;
        if has_leader { closing::final_reads(field, scribe) } else { Ok(()) }
    }

    fn plan(&self, cluster: &Cluster) -> Plan {
        let moves = self.scenario.possible_moves();
        // A scenario that draws from all does not promise to draw each.
        let mut faults: Vec<_> = moves.iter().filter(|_| !self.scenario.in_pairs).map(|one| one.kind()).collect();
        faults.sort_unstable();
        faults.dedup();
        Plan {
            scenario: self.scenario.name.to_owned(),
            seed: self.seed,
            hosts: cluster.hosts().is_some(),
            queens: QUEENS,
            foragers: FORAGERS,
            slots: SLOTS,
            model_slots: MODEL_SLOTS,
            faults,
        }
    }
}

/// Waits for all foragers, and gives the programs their manifests.
fn come_up(cluster: &Cluster) -> anyhow::Result<()> {
    let until = Instant::now() + UP_WITHIN;
    let http = cluster.http(1).within(PATIENCE);
    while let Err(error) = all_ready(&http) {
        ensure!(Instant::now() < until, "the cluster does not come up: {error:#}");
        thread::sleep(LOOK_EVERY);
    }
    for program in &PROGRAMS {
        http.put(&format!("/v1/tools/{}", program.name), &program.manifest().to_string())?.ok()?;
    }
    Ok(())
}

fn all_ready(http: &antfarm_testkit::Http) -> anyhow::Result<()> {
    let foragers = http.get("/v1/foragers")?.ok()?;
    let ready =
        foragers["foragers"].as_array().map_or(0, |all| all.iter().filter(|one| one["state"] == "ready").count());
    ensure!(ready == usize::from(FORAGERS), "{ready} foragers are ready");
    Ok(())
}
