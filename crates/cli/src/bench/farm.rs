//! The cluster that is measured: real processes under one temporary folder, with default settings.

use std::path::PathBuf;
use std::time::Duration;

use antfarm_client::views::{ClusterView, ForagerView};
use antfarm_client::{Client, Page};
use antfarm_env::{Env, SystemEnvironment};
use anyhow::{Context, ensure};
use rustix::process::Signal;
use tempfile::TempDir;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::relays::Relays;
use super::sightings::Sightings;
use crate::cli::Global;
use crate::connection;
use crate::dev::child::{Running, Spec};
use crate::dev::layout::Layout;
use crate::exit::Stop;
use crate::tools_file::Tool;

/// Ports are looked for from here on: below those that the system gives to connections.
const FIRST_PORT: u16 = 12_000;
/// Ports that may be taken as the base.
const PORTS: u64 = 15_000;
/// Bases that are tried.
const TRIES: u32 = 50;

/// A cluster that has everything for it is whole within this time.
const WHOLE_WITHIN: Duration = Duration::from_mins(1);
/// How often it is looked at.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// A running cluster. Dropping it kills its processes.
pub(super) struct Farm {
    pub(super) env: Env,
    pub(super) client: Client,
    pub(super) sightings: Sightings,
    /// A client of each queen alone.
    each: Vec<Client>,
    queens: Vec<(Spec, Option<Running>)>,
    foragers: Vec<(Spec, Running)>,
    relays: Option<Relays>,
    // Dropped last: the processes have their files in it.
    folder: TempDir,
}

/// What a cluster consists of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) queens: u16,
    pub(super) foragers: u16,
    pub(super) slots: u32,
    /// What each forager keeps beyond its slots.
    pub(super) prefetch: u32,
    /// What is in the logs, in the form of `RUST_LOG`; without it, sightings are taken from the foragers' logs.
    pub(super) log: Option<&'static str>,
    /// Queens reach each other through relays, so that one can be cut off.
    pub(super) relayed: bool,
}

/// The cluster at a moment when nothing is wrong with it.
pub(super) struct Whole {
    /// The leader's member id.
    pub(super) leader: u64,
    pub(super) term: u64,
    pub(super) foragers: Vec<ForagerView>,
}

impl Farm {
    /// Starts a cluster, whose foragers have the commands of some tools beside the built-in ones.
    pub(super) async fn start(shape: Shape, tools: &[Tool], global: &Global) -> anyhow::Result<Self> {
        let Shape { queens, foragers, slots, prefetch, log, relayed } = shape;
        let env = Env::new(SystemEnvironment::current());
        let folder = tempfile::Builder::new().prefix("antfarm-bench-").tempdir();
        let folder = folder.context("a temporary folder cannot be made")?;
        let dir = folder.path().canonicalize().context("the temporary folder has no path")?;
        let layout = free_layout(&env, |base_port| Layout {
            dir: dir.clone(),
            queens,
            foragers,
            slots,
            prefetch,
            base_port,
            relayed,
        })?;
        let relays = if relayed {
            let ports = (1..=queens).map(|queen| (layout.raft(queen), layout.raft_listen(queen)));
            Some(Relays::start(&ports.collect::<Vec<_>>()).await?)
        } else {
            None
        };
        let each = (1..=queens).map(|queen| connection::client(global, &[layout.url(queen)]));
        let each = each.collect::<anyhow::Result<_>>()?;
        let queens = layout.write_queens(&env)?.into_iter().map(|spec| {
            let running = log.map_or_else(|| spec.start(), |log| spec.start_logging(log))?;
            Ok((spec, Some(running)))
        });
        let queens = queens.collect::<anyhow::Result<_>>()?;
        let sightings = Sightings::new();
        let foragers = layout.write_foragers(tools)?.into_iter().map(|spec| {
            let running = if let Some(log) = log {
                spec.start_logging(log)?
            } else {
                let mut running = spec.start_piped()?;
                sightings.watch(running.take_log().context("its log is a pipe")?, &spec.log)?;
                running
            };
            Ok((spec, running))
        });
        let foragers = foragers.collect::<anyhow::Result<_>>()?;
        Ok(Self { client: layout.client(global)?, env, sightings, each, queens, foragers, relays, folder })
    }

    /// A client of each queen alone, by member id from 1.
    pub(super) fn each(&self) -> &[Client] {
        &self.each
    }

    /// A client of one queen alone.
    pub(super) fn client_of(&self, queen: u64) -> anyhow::Result<Client> {
        let index = usize::try_from(queen).ok().and_then(|queen| queen.checked_sub(1));
        Ok(index.and_then(|index| self.each.get(index)).context("it is one of the queens")?.clone())
    }

    /// The processes of all queens.
    pub(super) fn queen_pids(&self) -> Vec<i32> {
        self.queens.iter().filter_map(|(_, running)| Some(running.as_ref()?.pid())).collect()
    }

    /// The processes of all foragers.
    pub(super) fn forager_pids(&self) -> Vec<i32> {
        self.foragers.iter().map(|(_, running)| running.pid()).collect()
    }

    /// A file that the processes share.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Waits until one leads, all others follow it and have what was committed, and all foragers are ready.
    pub(super) async fn whole(&self) -> anyhow::Result<Whole> {
        let mut why = anyhow::anyhow!("nothing was seen of it");
        let looking = async {
            loop {
                match self.look().await {
                    Ok(whole) => return whole,
                    Err(missing) => why = missing,
                }
                sleep(LOOK_AGAIN).await;
            }
        };
        let whole = timeout(WHOLE_WITHIN, looking).await.ok();
        whole.ok_or(why).with_context(|| format!("the cluster is not whole after {} s", WHOLE_WITHIN.as_secs()))
    }

    async fn look(&self) -> anyhow::Result<Whole> {
        let each = self.client.cluster_of_each().await;
        let each: Vec<ClusterView> = each.into_iter().flatten().collect();
        ensure!(each.len() == self.queens.len(), "{} of {} queens answer", each.len(), self.queens.len());
        let (leader, term) = (each[0].leader.context("nobody leads")?, each[0].term);
        ensure!(
            each.iter().all(|view| (view.leader, view.term) == (Some(leader), term)),
            "they follow different leaders"
        );
        let cluster = self.client.cluster().await?;
        let members = &cluster.members;
        ensure!(members.iter().all(|member| member.reachable), "a queen cannot be reached by the leader");
        let foragers = self.client.foragers(&Page::first()).await?.foragers;
        let ready = foragers.iter().filter(|forager| forager.state == "ready").count();
        ensure!(ready == self.foragers.len(), "{ready} of {} foragers are ready", self.foragers.len());
        Ok(Whole { leader, term, foragers })
    }

    pub(super) fn signal(&self, queen: u64, signal: Signal) -> anyhow::Result<()> {
        self.queen(queen)?.1.as_ref().context("the queen does not run")?.signal(signal)
    }

    /// Cuts a queen off from the others, or nobody. The cluster must be relayed.
    pub(super) fn isolate(&self, queen: Option<u64>) -> anyhow::Result<()> {
        self.relays.as_ref().context("there are relays between these queens")?.isolate(queen);
        Ok(())
    }

    /// Waits until a queen's process has ended, and starts it again.
    pub(super) async fn restart(&mut self, queen: u64) -> anyhow::Result<()> {
        let index =
            usize::try_from(queen).ok().and_then(|queen| queen.checked_sub(1)).context("members count from 1")?;
        let (spec, running) = self.queens.get_mut(index).context("it is one of the queens")?;
        if let Some(mut running) = running.take() {
            running.wait().await;
        }
        *running = Some(spec.start()?);
        Ok(())
    }

    /// Ends all processes, foragers first; what they said is left.
    pub(super) async fn stop(self) -> Logs {
        let (queens, foragers) = (logs(&self.queens), logs(&self.foragers));
        stop_all(self.foragers.into_iter().map(|(_, running)| running)).await;
        stop_all(self.queens.into_iter().filter_map(|(_, running)| running)).await;
        Logs { queens, foragers, _folder: self.folder }
    }

    fn queen(&self, queen: u64) -> anyhow::Result<&(Spec, Option<Running>)> {
        let index = usize::try_from(queen).ok().and_then(|queen| queen.checked_sub(1));
        index.and_then(|index| self.queens.get(index)).context("it is one of the queens")
    }
}

/// The logs of a cluster that has ended. Dropping it removes them.
pub(super) struct Logs {
    /// By member id from 1.
    pub(super) queens: Vec<PathBuf>,
    pub(super) foragers: Vec<PathBuf>,
    _folder: TempDir,
}

fn logs<T>(children: &[(Spec, T)]) -> Vec<PathBuf> {
    children.iter().map(|(spec, _)| spec.log.clone()).collect()
}

async fn stop_all(running: impl Iterator<Item = Running>) {
    let mut ending: JoinSet<()> = running.map(|one| one.stop(std::future::pending())).collect();
    while ending.join_next().await.is_some() {}
}

/// A layout all of whose ports are free.
fn free_layout(env: &Env, layout: impl Fn(u16) -> Layout) -> anyhow::Result<Layout> {
    for _ in 0..TRIES {
        let layout = layout(FIRST_PORT + u16::try_from(env.random() % PORTS).unwrap_or(0));
        if layout.check().is_ok() {
            return Ok(layout);
        }
    }
    Err(Stop::usage("no free ports were found for a cluster on loopback".to_owned()))
}
