//! The one task that owns all state of a forager.
//!
//! It works in turns: take what has arrived, decide, write the journal, and only then start programs and speak. So nothing
//! is started or said that a crash could make untrue, and one write serves everything that arrived together.

mod assign;
mod cancel;
mod confirm;
mod ended;
mod hear;
mod heartbeat;
mod holdings;
mod identity;
mod lease;
mod log_request;
mod present;
mod recall;
mod sessions;
mod welcome;
mod wind_down;

use std::sync::Arc;
use std::time::Duration;

use antfarm_model::Epoch;
use antfarm_protocol::{Accept, AttemptRef};
use antfarm_storage::{DataFolderLock, StorageError};
use tokio::sync::{mpsc, watch};

use crate::calls::Calls;
use crate::config::ForagerConfig;
use crate::epoch_file::EpochFile;
use crate::error::StopError;
use crate::executor::{self, Happening, Happenings, KeptLogs, Tools};
use crate::journal::{Journal, Record};
use crate::keeper::{Due, Keeping};
use crate::session::Event;
use crate::status::Status;

use heartbeat::Pulse;
pub(crate) use holdings::Holdings;
pub(crate) use identity::Identity;
use lease::Lease;
pub(crate) use sessions::{Lines, Sessions};
use wind_down::Phase;

/// Events of either kind that one turn takes.
const EVENTS_IN_A_TURN: usize = 1_024;

/// Without anything to do it looks around this often.
const IDLE: Duration = Duration::from_secs(1);

/// What others ask of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Finish what runs, hand back the rest, then end.
    Drain,
    /// Leave programs to the keeper and hand back the rest, then end.
    HandOver,
    /// End what runs, then end.
    Stop,
}

/// Where it hears of everything.
pub(crate) struct Inboxes {
    pub(crate) orders: mpsc::Receiver<Order>,
    pub(crate) events: mpsc::Receiver<Event>,
    pub(crate) happenings: mpsc::Receiver<(AttemptRef, Happening)>,
}

/// What it is made of.
pub(crate) struct Parts {
    pub(crate) config: Arc<ForagerConfig>,
    pub(crate) tools: Tools,
    pub(crate) around: Arc<executor::Surroundings>,
    pub(crate) happenings: Happenings,
    pub(crate) folder: DataFolderLock,
    pub(crate) journal: Journal,
    pub(crate) epoch: EpochFile,
    pub(crate) identity: Identity,
    pub(crate) holdings: Holdings,
    pub(crate) sessions: Sessions,
    pub(crate) status: watch::Sender<Status>,
    /// The lease under which the keeper goes on with what a former process left.
    pub(crate) lease: Due,
    /// Who keeps the programs of this machine.
    pub(crate) keeping: Keeping,
}

/// The state of a forager.
pub(crate) struct Foreman {
    parts: Parts,
    lease: Lease,
    pulse: Pulse,
    logs: KeptLogs,
    phase: Phase,
    stale_messages: u64,
    calls: Calls,
    /// The highest epoch that an assignment came from.
    assigned: Epoch,
    /// Attempts that this turn starts once the journal is written.
    starts: Vec<AttemptRef>,
    /// Attempts that the keeper may forget once the journal is written.
    forgets: Vec<AttemptRef>,
    /// Attempts that the leader is told to run.
    accepted: Vec<AttemptRef>,
}

enum Input {
    Order(Order),
    Event(Event),
    Happening(AttemptRef, Happening),
    Time,
}

async fn next(inboxes: &mut Inboxes, due_in: Duration) -> Input {
    tokio::select! {
        Some(order) = inboxes.orders.recv() => Input::Order(order),
        Some(event) = inboxes.events.recv() => Input::Event(event),
        Some((attempt, happening)) = inboxes.happenings.recv() => Input::Happening(attempt, happening),
        () = tokio::time::sleep(due_in) => Input::Time,
    }
}

impl Foreman {
    pub(crate) fn new(parts: Parts) -> Self {
        let env = &parts.around.env;
        Self {
            lease: Lease::inherited(parts.lease, env.boot_time(), env.monotonic()),
            pulse: Pulse::new(env.monotonic()),
            logs: KeptLogs::default(),
            phase: Phase::Working,
            stale_messages: 0,
            calls: Calls::default(),
            assigned: Epoch(0),
            starts: Vec::new(),
            forgets: Vec::new(),
            accepted: Vec::new(),
            parts,
        }
    }

    /// Works until it is drained or stopped, hands over, or cannot write any more. When this returns, nothing of it runs but
    /// what it has handed over.
    pub(crate) async fn run(mut self, mut inboxes: Inboxes) -> Result<(), StopError> {
        self.publish();
        let ended = self.work(&mut inboxes).await;
        if let Err(error) = &ended {
            tracing::error!(%error, "the forager stops, because it cannot write what it must remember");
            self.abandon(&mut inboxes).await;
        }
        if let Some(keeper) = self.keeper_to_end() {
            keeper.end().await;
        }
        self.parts.sessions.close(&mut inboxes.events).await;
        drop(self.parts.folder);
        Ok(ended?)
    }

    async fn work(&mut self, inboxes: &mut Inboxes) -> Result<(), StorageError> {
        while !self.is_finished() {
            let input = next(inboxes, self.until_something_is_due()).await;
            self.take(input)?;
            for _ in 1..EVENTS_IN_A_TURN {
                let Ok(event) = inboxes.events.try_recv() else { break };
                self.take(Input::Event(event))?;
            }
            for _ in 1..EVENTS_IN_A_TURN {
                let Ok((attempt, happening)) = inboxes.happenings.try_recv() else { break };
                self.take(Input::Happening(attempt, happening))?;
            }
            self.end_turn()?;
        }
        Ok(())
    }

    fn take(&mut self, input: Input) -> Result<(), StorageError> {
        match input {
            Input::Order(order) => self.obey(order),
            Input::Event(Event::Opened { session, address, outgoing }) => {
                self.parts.sessions.opened(session, address, outgoing);
                self.greet(session);
                Ok(())
            }
            Input::Event(Event::Received { session, messages }) => {
                messages.into_iter().try_for_each(|message| self.hear(session, message))
            }
            Input::Event(Event::Closed { session }) => {
                self.parts.sessions.closed(session);
                Ok(())
            }
            Input::Happening(attempt, Happening::Process(process)) => {
                if self.parts.holdings.note_process(&attempt, process) {
                    self.parts.journal.note(&Record::Process { attempt, process })?;
                }
                Ok(())
            }
            Input::Happening(attempt, Happening::Ended { end, log }) => self.ended(attempt, end, log),
            Input::Happening(_, Happening::Log { session, request, text }) => {
                self.answer_log(session, request, text);
                Ok(())
            }
            Input::Time => Ok(()),
        }
    }

    /// What time demands, then the journal, then what follows from it.
    fn end_turn(&mut self) -> Result<(), StorageError> {
        self.watch_lease();
        self.fill_slots()?;
        self.beat();
        if self.parts.journal.wants_compaction() {
            self.parts.journal.commit()?;
            let registered = self.parts.identity.record();
            self.parts.journal.compact(registered.into_iter().chain(self.parts.holdings.records()))?;
        }
        self.parts.journal.commit()?;
        self.launch();
        if !self.forgets.is_empty() {
            self.parts.around.keeper.forget(std::mem::take(&mut self.forgets));
        }
        if !self.accepted.is_empty() {
            let attempts = std::mem::take(&mut self.accepted);
            self.parts.sessions.tell_leader_first(Accept { attempts }.into());
        }
        self.parts.sessions.flush();
        self.publish();
        Ok(())
    }

    fn until_something_is_due(&self) -> Duration {
        let env = &self.parts.around.env;
        let beat = self.pulse.due_in(env.monotonic());
        let lease = self.parts.holdings.runs_guarded().then(|| self.lease.stop_in(env.boot_time()));
        let phase = self.phase.due_in(env.monotonic());
        [Some(beat), lease.flatten(), phase].into_iter().flatten().fold(IDLE, Duration::min)
    }

    fn publish(&self) {
        let Parts { holdings, sessions, .. } = &self.parts;
        let status = Status {
            epoch_seen: self.parts.epoch.seen(),
            incarnation: self.parts.identity.incarnation(),
            leader: sessions.leader_address().cloned(),
            sessions: sessions.len(),
            running: holdings.running_count(),
            unstarted: holdings.unstarted_count(),
            unconfirmed: holdings.ended_count(),
            stale_messages: self.stale_messages,
            calls: self.calls,
            draining: self.phase.is_draining(),
        };
        self.parts.status.send_if_modified(|published| {
            let changed = *published != status;
            *published = status;
            changed
        });
    }
}
