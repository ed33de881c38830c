//! What everybody in a simulated run shares: the machines, the network, the chronicle, what was submitted, and whom to ask.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use antfarm_client::{Answer, Ask, Client, ClientError};
use antfarm_env::{Env, Net};
use serde_json::Value;
use tokio::sync::watch;

use super::chronicle::{Chronicle, Pen};
use super::clock::Time;
use super::life::Life;
use super::machine::Machine;
use super::network::{Fabric, Host};
use super::sink::{LEDGER, Sink};
use crate::history::{Call, GraphShown, Phase, What};
use crate::random::Random;
use crate::work::{Came, Known, request};

/// Where queens take clients and foragers, and their peers.
pub(super) const HTTP_PORT: u16 = 7_100;
pub(super) const RAFT_PORT: u16 = 7_200;

/// A queen looks for a leader for 1.2 s before it says that there is none; a client waits a little longer.
pub(super) const PATIENCE: Duration = Duration::from_millis(2_500);

/// What everybody shares. Clones are the same.
#[derive(Clone)]
pub(super) struct Field(Arc<Parts>);

pub(super) struct Parts {
    pub(super) time: Time,
    pub(super) fabric: Fabric,
    pub(super) sink: Sink,
    pub(super) chronicle: Chronicle,
    queens: u16,
    /// The queens first, by their ids.
    pub(super) machines: Vec<Arc<Machine>>,
    /// A forager with the name of another one.
    pub(super) impostor: Arc<Machine>,
    /// Queens that may come later.
    newcomers: Vec<Arc<Machine>>,
    next_newcomer: AtomicUsize,
    /// What clients run in; no fault reaches them.
    pub(super) clients: Life,
    pub(super) env: Env,
    pub(super) net: Net,
    ops: AtomicU64,
    phase: AtomicU8,
    /// Clients begin nothing new any more.
    rests: AtomicBool,
    known: Mutex<Known>,
    /// Its receivers are the clients that work.
    working: watch::Sender<()>,
}

/// What a field is made of.
pub(super) struct Ground {
    pub(super) time: Time,
    pub(super) fabric: Fabric,
    pub(super) sink: Sink,
    pub(super) chronicle: Chronicle,
    /// How many of the machines are queens.
    pub(super) queens: u16,
    pub(super) machines: Vec<Arc<Machine>>,
    pub(super) impostor: Arc<Machine>,
    pub(super) newcomers: Vec<Arc<Machine>>,
    pub(super) clients: Life,
    pub(super) env: Env,
    pub(super) net: Net,
}

impl std::ops::Deref for Field {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

/// The address of a queen for clients.
pub(super) fn http(queen: u16) -> String {
    Host(queen).address(HTTP_PORT)
}

impl Field {
    pub(super) fn new(ground: Ground) -> Self {
        let Ground { time, fabric, sink, chronicle, queens, machines, impostor, newcomers, clients, env, net } = ground;
        let (ops, phase, known) = (AtomicU64::new(0), AtomicU8::new(Phase::Calm as u8), Mutex::default());
        let working = watch::Sender::new(());
        Self(Arc::new(Parts {
            time,
            fabric,
            sink,
            chronicle,
            queens,
            machines,
            impostor,
            newcomers,
            next_newcomer: AtomicUsize::new(0),
            clients,
            env,
            net,
            ops,
            phase,
            rests: AtomicBool::new(false),
            known,
            working,
        }))
    }

    /// A part of the run begins.
    pub(super) fn enter(&self, phase: Phase, pen: &mut Pen) {
        self.phase.store(phase as u8, Ordering::Relaxed);
        pen.write(What::Phase { phase });
    }

    /// Whether clients are to go on with new work.
    pub(super) fn has_work(&self) -> bool {
        !self.rests.load(Ordering::Relaxed)
    }

    /// Has clients begin nothing new.
    pub(super) fn rest(&self) {
        self.rests.store(true, Ordering::Relaxed);
    }

    /// A client works until it drops this.
    pub(super) fn begin_work(&self) -> watch::Receiver<()> {
        self.working.subscribe()
    }

    /// Waits until no client has anything under way.
    pub(super) async fn work_is_over(&self) {
        self.working.closed().await;
    }

    /// Whether the run goes on.
    pub(super) fn is_open(&self) -> bool {
        self.phase.load(Ordering::Relaxed) < Phase::Closing as u8
    }

    /// What was submitted.
    pub(super) fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn queens(&self) -> &[Arc<Machine>] {
        &self.machines[..usize::from(self.queens)]
    }

    pub(super) fn foragers(&self) -> &[Arc<Machine>] {
        &self.machines[usize::from(self.queens)..]
    }

    /// Queens that may come later, or have come.
    pub(super) fn newcomers(&self) -> &[Arc<Machine>] {
        &self.newcomers
    }

    /// One of them that nobody has asked for before, if there is one left.
    pub(super) fn newcomer(&self) -> Option<Arc<Machine>> {
        self.newcomers.get(self.next_newcomer.fetch_add(1, Ordering::Relaxed)).cloned()
    }

    /// All machines, with those that not everybody knows.
    pub(super) fn everybody(&self) -> impl Iterator<Item = &Arc<Machine>> {
        self.machines.iter().chain([&self.impostor]).chain(&self.newcomers)
    }

    /// How often a queen was started.
    pub(super) fn life_of(&self, queen: u16) -> u32 {
        self.machines[usize::from(queen) - 1].lives()
    }

    /// The ids of all queens.
    pub(super) fn queen_ids(&self) -> Vec<u16> {
        (1..=self.queens).collect()
    }

    /// The same, beginning with one of them.
    pub(super) fn queens_from(&self, first: u16) -> impl Iterator<Item = u16> + Clone + use<> {
        let queens = self.queens;
        (0..queens).map(move |next| 1 + (first - 1 + next) % queens)
    }

    /// Some queen.
    pub(super) fn any_queen(&self, random: &mut Random) -> u16 {
        1 + u16::try_from(random.below(u64::from(self.queens))).unwrap_or(0)
    }

    /// A client of some queens.
    pub(super) fn client(&self, queens: &[u16], patience: Duration) -> Client {
        let servers: Vec<String> = queens.iter().map(|queen| format!("http://{}", http(*queen))).collect();
        Client::new(self.env.clone(), self.net.clone(), &servers, None, patience).expect("these are addresses")
    }

    /// Asks a queen for something, and writes down that it was asked and what came of it.
    pub(super) async fn ask(&self, pen: &mut Pen, queen: u16, call: &Call) -> Came {
        let op = self.ops.fetch_add(1, Ordering::Relaxed);
        let life = self.life_of(queen);
        pen.write(What::Invoke { op, queen, call: call.clone() });
        let answer = self.client(&[queen], PATIENCE).ask(&ask_for(call)).await;
        let life = Some(life).filter(|life| *life == self.life_of(queen));
        match answer {
            Ok(answer) => self.answered(pen, op, life, &answer, call),
            Err(ClientError::Refused(problem)) if problem.status < 500 => {
                let (status, problem) = (problem.status, problem.kind().to_owned());
                pen.write(What::Fail { op, status, index: 0, problem });
                Came::Refused
            }
            Err(error) => {
                pen.write(What::Info { op, why: error.to_string() });
                Came::Unknown
            }
        }
    }

    fn answered(&self, pen: &mut Pen, op: u64, life: Option<u32>, answer: &Answer, call: &Call) -> Came {
        let graph = answer.json::<Value>().ok().as_ref().and_then(GraphShown::read);
        let acknowledged = graph.clone();
        let (status, index) = (answer.status.as_u16(), answer.index.unwrap_or(0));
        pen.write(What::Ok { op, status, index, life, graph });
        if let (Call::Submit { .. }, Some(graph)) = (call, acknowledged) {
            self.known().acknowledged.insert(graph.id);
        }
        Came::Done
    }
}

fn ask_for(call: &Call) -> Ask {
    match request(call, LEDGER) {
        (path, Some(body)) => Ask::post(path, body.to_string(), "application/json"),
        (path, None) => Ask::read(path),
    }
}
