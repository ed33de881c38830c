//! What all threads of a run share: whom to ask, what was submitted, what part of the run it is, and where to write.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use antfarm_testkit::Answer;

use super::cluster::Cluster;
use super::config::QUEENS;
use crate::history::{Call, GraphShown, Phase, Recorder, Scribe, What};
use crate::random::Random;
use crate::work::{Came, Known, request};

/// A queen looks for a leader for 1.2 s before it says that there is none; a client waits a little longer.
pub(super) const PATIENCE: Duration = Duration::from_millis(2_500);

/// What all threads of a run share.
pub(super) struct Field<'a> {
    pub(super) cluster: &'a Cluster,
    pub(super) recorder: &'a Recorder,
    /// The path of the ledger.
    pub(super) ledger: &'a str,
    ops: AtomicU64,
    phase: AtomicU8,
    known: Mutex<Known>,
}

impl<'a> Field<'a> {
    pub(super) fn new(cluster: &'a Cluster, recorder: &'a Recorder, ledger: &'a str) -> Self {
        let (ops, phase, known) = (AtomicU64::new(0), AtomicU8::new(Phase::Calm as u8), Mutex::default());
        Self { cluster, recorder, ledger, ops, phase, known }
    }

    /// A part of the run begins.
    pub(super) fn enter(&self, phase: Phase, scribe: &mut Scribe<'_>) {
        self.phase.store(phase as u8, Ordering::Release);
        scribe.write(What::Phase { phase });
    }

    /// Whether clients are to go on with new work.
    pub(super) fn has_work(&self) -> bool {
        self.phase.load(Ordering::Acquire) < Phase::Healed as u8
    }

    /// Whether the run goes on.
    pub(super) fn is_open(&self) -> bool {
        self.phase.load(Ordering::Acquire) < Phase::Closing as u8
    }

    /// What was submitted.
    pub(super) fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Some queen.
    pub(super) fn any_queen(random: &mut Random) -> u16 {
        1 + u16::try_from(random.below(u64::from(QUEENS))).unwrap_or(0)
    }

    /// Asks a queen for something, and writes down that it was asked and what came of it.
    pub(super) fn ask(&self, scribe: &mut Scribe<'_>, queen: u16, call: &Call) -> Came {
        let op = self.ops.fetch_add(1, Ordering::Relaxed);
        let life = self.cluster.life_of_queen(queen);
        scribe.write(What::Invoke { op, queen, call: call.clone() });
        let answer = self.send(queen, call);
        let life = Some(life).filter(|life| *life == self.cluster.life_of_queen(queen));
        match answer {
            Ok(answer) if answer.status < 500 => self.answered(scribe, op, life, &answer, call),
            Ok(answer) => {
                scribe.write(What::Info { op, why: format!("status {}: {}", answer.status, answer.body) });
                Came::Unknown
            }
            Err(error) => {
                scribe.write(What::Info { op, why: format!("{error:#}") });
                Came::Unknown
            }
        }
    }

    fn answered(&self, scribe: &mut Scribe<'_>, op: u64, life: Option<u32>, answer: &Answer, call: &Call) -> Came {
        let index = answer.headers.get("antfarm-index").and_then(|index| index.parse().ok()).unwrap_or(0);
        let status = answer.status;
        if status >= 300 {
            scribe.write(What::Fail { op, status, index, problem: answer.problem().unwrap_or_default() });
            return Came::Refused;
        }
        let graph = answer.json().ok().as_ref().and_then(GraphShown::read);
        let acknowledged = graph.clone();
        scribe.write(What::Ok { op, status, index, life, graph });
        if let (Call::Submit { .. }, Some(graph)) = (call, acknowledged) {
            self.known().acknowledged.insert(graph.id);
        }
        Came::Done
    }

    fn send(&self, queen: u16, call: &Call) -> anyhow::Result<Answer> {
        let http = self.cluster.http(queen).within(PATIENCE);
        match request(call, self.ledger) {
            (path, Some(body)) => http.post(&path, &body.to_string()),
            (path, None) => http.get(&path),
        }
    }
}
