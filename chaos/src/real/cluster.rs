//! Three queens and three foragers as processes, each on its own host if there can be hosts.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use antfarm_testkit::{Hosts, Http, kill, processes_in};
use anyhow::Context;

use super::config::{self, FORAGERS, QUEENS};
use super::network::Network;
use super::process::{Process, config_path};
use crate::history::{Scribe, What};

/// A queen that is asked who leads answers within this time, if it runs.
const LOOK_WITHIN: Duration = Duration::from_millis(300);

/// The processes of a run. Dropping it ends them, and whatever they have started.
pub(super) struct Cluster {
    processes: Vec<Process>,
    pub(super) network: Network,
    folder: PathBuf,
}

impl Cluster {
    /// Everything in place, and nothing started.
    pub(super) fn prepare(folder: &Path, ledger: &str) -> anyhow::Result<Self> {
        let queens = (1..=QUEENS).map(|id| (format!("queen-{id}"), "queen"));
        let foragers = (1..=FORAGERS).map(|number| (format!("forager-{number}"), "forager"));
        let names: Vec<(String, &str)> = queens.chain(foragers).collect();
        let network = Network::new(&names.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>());
        let mut processes = Vec::new();
        for (number, (name, role)) in (1..).zip(names) {
            let text = if role == "queen" {
                config::queen(number, &network, folder)
            } else {
                config::forager(&name, &network, folder, ledger)
            };
            let path = config_path(folder, &name);
            fs::write(&path, text).with_context(|| format!("{} cannot be written", path.display()))?;
            processes.push(Process::new(name, role, path));
        }
        Ok(Self { processes, network, folder: folder.to_owned() })
    }

    /// Starts all.
    pub(super) fn start_all(&self) -> anyhow::Result<()> {
        self.names().try_for_each(|name| self.start(&name).map(drop))
    }

    /// Starts a process, and returns its pid.
    pub(super) fn start(&self, name: &str) -> anyhow::Result<i32> {
        self.process(name)?.start(self.network.command(name))
    }

    /// A process by its name.
    pub(super) fn process(&self, name: &str) -> anyhow::Result<&Process> {
        self.processes
            .iter()
            .find(|process| process.name == name)
            .with_context(|| format!("no process is named {name}"))
    }

    /// All processes.
    pub(super) fn processes(&self) -> &[Process] {
        &self.processes
    }

    /// The names of all.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        self.processes.iter().map(|process| process.name.clone())
    }

    /// The names of all queens.
    pub(super) fn queen_names() -> impl Iterator<Item = String> {
        (1..=QUEENS).map(|id| format!("queen-{id}"))
    }

    /// The names of all foragers.
    pub(super) fn forager_names() -> impl Iterator<Item = String> {
        (1..=FORAGERS).map(|number| format!("forager-{number}"))
    }

    /// How often a queen was started.
    pub(super) fn life_of_queen(&self, queen: u16) -> u32 {
        self.processes.get(usize::from(queen) - 1).map_or(0, Process::life)
    }

    /// The HTTP interface of a queen.
    pub(super) fn http(&self, queen: u16) -> Http {
        Http::at(self.network.http(queen))
    }

    /// The hosts, if the processes run on hosts.
    pub(super) fn hosts(&self) -> Option<&Hosts> {
        self.network.hosts()
    }

    /// The queen that says that it leads, or the one of this number, from 0.
    pub(super) fn leader_or_any(&self, otherwise: u64) -> String {
        let leads = |queen: &u16| {
            let metrics = self.http(*queen).within(LOOK_WITHIN).get("/metrics");
            metrics.is_ok_and(|answer| answer.body.contains("\nantfarm_is_leader 1"))
        };
        let leader = (1..=QUEENS).find(leads).map(u64::from);
        format!("queen-{}", leader.unwrap_or(1 + otherwise))
    }

    /// Writes down which processes have ended by themselves, and starts them again.
    pub(super) fn report_deaths(&self, scribe: &mut Scribe<'_>) -> anyhow::Result<()> {
        for process in &self.processes {
            if let Some(status) = process.death()? {
                let (name, life) = (process.name.clone(), process.life());
                scribe.write(What::Died { process: name.clone(), life, status: status.to_string() });
                self.start(&name)?;
            }
        }
        Ok(())
    }

    /// Kills all processes.
    pub(super) fn kill_all(&self) -> anyhow::Result<()> {
        self.processes.iter().try_for_each(|process| process.kill().map(drop))
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let _ = self.kill_all(); // what is gone needs no killing
        processes_in(&self.folder).into_iter().for_each(kill);
    }
}
