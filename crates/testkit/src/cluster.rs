//! Queens and foragers as real processes on loopback, under one temporary folder.

mod config;
mod spec;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::ports::LATE_QUEEN;
use crate::wait::PAUSE;
use crate::{
    Answer, Command, Daemon, Finished, Http, Ledger, Ports, Scratch, Turn, keeper_of, kill, print_log_tails, resume,
    seed, sentries_of, wait_until,
};
use anyhow::{Context, ensure};
use serde_json::Value;

pub use spec::ClusterSpec;

/// A cluster on an idle machine answers within this time from its start.
const UP_WITHIN: Duration = Duration::from_secs(30);

/// A leader is found again within this time, on a machine that has other things to do, too.
const LEADER_WITHIN: Duration = Duration::from_secs(20);

/// What a keeper kept is dead within this time after its end.
const ENDS_WITHIN: Duration = Duration::from_secs(5);

/// A cluster of real processes. Dropping it leaves nothing behind.
#[derive(Debug)]
pub struct Cluster {
    // Dropped in this order: first what runs, then where it ran, then the right to it.
    queens: Vec<Queen>,
    foragers: Vec<Forager>,
    scratch: Scratch,
    queen_settings: String,
    ports: Ports,
    _turn: Turn,
}

/// A queen.
#[derive(Debug)]
pub struct Queen {
    id: u16,
    daemon: Daemon,
    http: Http,
}

/// A forager. Dropping it ends its keeper, too, and everything that that keeps.
#[derive(Debug)]
pub struct Forager {
    daemon: Daemon,
    data: PathBuf,
}

impl std::ops::Deref for Queen {
    type Target = Daemon;

    fn deref(&self) -> &Daemon {
        &self.daemon
    }
}

impl std::ops::Deref for Forager {
    type Target = Daemon;

    fn deref(&self) -> &Daemon {
        &self.daemon
    }
}

impl Forager {
    /// Its data folder.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// Its keeper, which runs.
    pub fn keeper(&self) -> i32 {
        keeper_of(&self.data).unwrap_or_else(|| panic!("{} has no keeper", self.daemon.name()))
    }
}

impl Drop for Forager {
    fn drop(&mut self) {
        self.daemon.end();
        keeper_of(&self.data).into_iter().for_each(kill);
        // Sentries that a test has stopped end what they guard when they go on.
        sentries_of(&self.data).into_iter().for_each(resume);
        for _ in 0..ENDS_WITHIN.as_millis() / PAUSE.as_millis() {
            if sentries_of(&self.data).is_empty() {
                break;
            }
            std::thread::sleep(PAUSE);
        }
    }
}

impl Queen {
    /// Its member id.
    pub fn id(&self) -> u16 {
        self.id
    }

    /// Its HTTP interface.
    pub fn http(&self) -> Http {
        self.http
    }

    /// `GET /v1/cluster` as this queen sees it.
    pub fn status(&self) -> anyhow::Result<Value> {
        self.http.get("/v1/cluster")?.ok()
    }

    /// A metric by its name, with its labels if it has any.
    pub fn metric(&self, name: &str) -> anyhow::Result<f64> {
        let metrics = self.http.get("/metrics")?.body;
        let value = metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        Ok(value.with_context(|| format!("queen-{} has no metric {name}", self.id))?.parse()?)
    }

    /// The epoch that it is in. It must run.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an epoch is a whole number, and small"
    )]
    pub fn epoch(&self) -> u64 {
        self.metric("antfarm_epoch").expect("a queen that runs has an epoch") as u64
    }

    /// Whether it says of itself that it leads.
    pub fn leads(&self) -> bool {
        self.runs() && self.metric("antfarm_is_leader").is_ok_and(|leads| leads > 0.0)
    }
}

impl Cluster {
    /// Three queens and three foragers with 8 slots, all up.
    pub fn start() -> Self {
        ClusterSpec::new().start()
    }

    /// A cluster that is to be another one.
    pub fn spec() -> ClusterSpec {
        ClusterSpec::new()
    }

    fn of(spec: &ClusterSpec) -> Self {
        let turn = Turn::take();
        let ports = Ports::take();
        let scratch = Scratch::new();
        let daemon = |name: String, role, config: String| {
            let path = scratch.write(&format!("{name}.toml"), &config);
            Daemon::new(name, role, path)
        };
        let queens = (1..=spec.queens).map(|id| {
            let config = config::queen(spec, id, &ports, scratch.folder());
            Queen { id, daemon: daemon(format!("queen-{id}"), "queen", config), http: Http::at(ports.http(id)) }
        });
        let queens = queens.collect();
        let foragers = (1..=spec.foragers).map(|number| {
            let name = format!("forager-{number}");
            let config = config::forager(spec, &name, &ports, scratch.folder());
            Forager { data: scratch.path(&name), daemon: daemon(name, "forager", config) }
        });
        let foragers = foragers.collect();
        println!("a cluster in {}, ANTFARM_SEED={}", scratch.folder().display(), seed());
        Self { queens, foragers, scratch, queen_settings: spec.queen_settings.clone(), ports, _turn: turn }
    }

    /// Starts all processes, and waits until there is a leader that has every forager.
    fn launch(&self) {
        self.queens.iter().for_each(|queen| queen.start());
        self.foragers.iter().for_each(|forager| forager.start());
        wait_until("a leader with all foragers", UP_WITHIN, || {
            for daemon in self.daemons() {
                assert!(daemon.runs(), "{} ended by itself\n{}", daemon.name(), daemon.log());
            }
            let foragers = self.get("/v1/foragers")?.ok()?;
            let foragers = foragers["foragers"].as_array().context("no list of foragers")?;
            let ready = foragers.iter().filter(|forager| forager["state"] == "ready").count();
            ensure!(ready == self.foragers.len(), "{ready} foragers are ready");
            Ok(())
        });
    }

    fn daemons(&self) -> impl Iterator<Item = &Daemon> {
        let queens = self.queens.iter().map(|queen| &queen.daemon);
        queens.chain(self.foragers.iter().map(|forager| &forager.daemon))
    }

    /// All queens, by member id.
    pub fn queens(&self) -> &[Queen] {
        &self.queens
    }

    /// A queen by its member id.
    pub fn queen(&self, id: u16) -> &Queen {
        &self.queens[usize::from(id) - 1]
    }

    /// All foragers, in the order of their names.
    pub fn foragers(&self) -> &[Forager] {
        &self.foragers
    }

    /// A forager by its number, from 1.
    pub fn forager(&self, number: usize) -> &Forager {
        &self.foragers[number - 1]
    }

    /// A forager by its name.
    pub fn forager_named(&self, name: &str) -> &Forager {
        self.foragers
            .iter()
            .find(|forager| forager.name() == name)
            .unwrap_or_else(|| panic!("no forager is named {name}"))
    }

    /// Another process with the name of a forager, and a data folder of its own. It does not run yet.
    pub fn rival_of(&self, forager: &Forager) -> Forager {
        let file = |name: &str| self.scratch.path(name).display().to_string();
        let (name, of) = (format!("{}-rival", forager.name()), forager.name());
        let config = std::fs::read_to_string(file(&format!("{of}.toml"))).expect("it was written here");
        let config = config.replace(&format!("\"{}\"", file(of)), &format!("\"{}\"", file(&name)));
        let path = self.scratch.write(&format!("{name}.toml"), &config);
        Forager { data: self.scratch.path(&name), daemon: Daemon::new(name, "forager", path) }
    }

    /// A fourth queen with an empty data folder, which joins the others. It does not run yet, and is no member yet.
    pub fn late_queen(&self) -> Queen {
        let (id, name) = (LATE_QUEEN, format!("queen-{LATE_QUEEN}"));
        let join = self.queens.iter().map(|queen| self.ports.raft(queen.id));
        let config = config::late_queen(id, join, &self.queen_settings, &self.ports, self.scratch.folder());
        let path = self.scratch.write(&format!("{name}.toml"), &config);
        Queen { id, daemon: Daemon::new(name, "queen", path), http: Http::at(self.ports.http(id)) }
    }

    /// Where a queen takes connections of its peers.
    pub fn raft(&self, queen: &Queen) -> SocketAddr {
        self.ports.raft(queen.id)
    }

    /// The queen that leads; waits until one does.
    pub fn leader(&self) -> &Queen {
        wait_until("a queen that leads", LEADER_WITHIN, || {
            self.queens.iter().find(|queen| queen.leads()).context("none says that it leads")
        })
    }

    /// The queens that run and do not lead.
    pub fn followers(&self) -> Vec<&Queen> {
        let leader = self.leader().id;
        self.queens.iter().filter(|queen| queen.id != leader && queen.runs()).collect()
    }

    /// Waits until another queen than this one leads.
    pub fn leader_other_than(&self, former: &Queen) -> &Queen {
        wait_until(&format!("another leader than queen-{}", former.id), LEADER_WITHIN, || {
            let others = self.queens.iter().filter(|queen| queen.id != former.id);
            others.into_iter().find(|queen| queen.leads()).context("none says that it leads")
        })
    }

    /// The folder of everything, for files of the test's own.
    pub fn scratch(&self) -> &Scratch {
        &self.scratch
    }

    /// A ledger in it.
    pub fn ledger(&self) -> Ledger {
        Ledger::at(&self.scratch.path("ledger"))
    }

    /// The addresses of all queens, as `--server` wants them.
    pub fn servers(&self) -> String {
        self.queens.iter().map(|queen| queen.http.url()).collect::<Vec<_>>().join(",")
    }

    /// `antfarm` with the addresses of this cluster.
    pub fn command(&self, arguments: &[&str]) -> Command {
        Command::antfarm(arguments).env("ANTFARM_SERVER", &self.servers())
    }

    /// Runs `antfarm` with the addresses of this cluster.
    pub fn antfarm(&self, arguments: &[&str]) -> Finished {
        self.command(arguments).run()
    }

    /// GET at the first queen that answers.
    pub fn get(&self, path: &str) -> anyhow::Result<Answer> {
        let running = self.queens.iter().filter(|queen| queen.runs());
        let mut answers = running.map(|queen| queen.http.get(path));
        answers.find(Result::is_ok).context("no queen answers")?
    }

    /// Submits a graph (JSON) over HTTP, and asserts that it was taken.
    pub fn submit(&self, graph: &Value) {
        let answer = self.leader().http.post("/v1/graphs", &graph.to_string()).expect("the leader answers");
        assert_eq!(answer.status, 201, "{}", answer.body);
    }

    /// How a graph stands.
    pub fn graph(&self, id: &str) -> anyhow::Result<Value> {
        self.get(&format!("/v1/graphs/{id}"))?.ok()
    }

    /// Waits until a graph has ended, asserts that it succeeded, and returns how it stands.
    pub fn wait_for_success(&self, id: &str, within: Duration) -> Value {
        let graph = wait_until(&format!("the end of graph {id}"), within, || {
            let graph = self.graph(id)?;
            ensure!(!graph["finished_at"].is_null(), "it is {graph}");
            Ok(graph)
        });
        assert_eq!(graph["state"], "succeeded", "{graph}");
        graph
    }

    /// Asserts that all queens that run come to the same state: equal digests at equal applied indexes.
    pub fn agrees(&self) {
        wait_until("equal digests of all queens", LEADER_WITHIN, || {
            let statuses: Vec<Value> =
                self.queens.iter().filter(|queen| queen.runs()).map(Queen::status).collect::<anyhow::Result<_>>()?;
            let of = |status: &Value| (status["applied_index"].clone(), status["state_digest"].clone());
            let positions: Vec<_> = statuses.iter().map(of).collect();
            ensure!(positions.iter().all(|(_, digest)| digest.is_string()), "no digest: {positions:?}");
            let same_index: Vec<_> = positions.iter().filter(|(index, _)| *index == positions[0].0).collect();
            assert!(same_index.iter().all(|(_, digest)| *digest == positions[0].1), "states differ: {positions:?}");
            ensure!(same_index.len() == positions.len(), "not at one index: {positions:?}");
            Ok(())
        });
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if std::thread::panicking() {
            print_log_tails(self.scratch.folder());
        }
    }
}
