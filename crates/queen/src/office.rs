//! The office: everything that only a leader does, and the hearing of foragers, in one task that owns its state.
//!
//! ```text
//!  sessions ──heard──►┐                              ┌──► sessions (welcome, assign, cancel, confirmed)
//!  API ────requests──►│  office ── Leadership? ──────┤
//!  leadership hint ──►┘   (built on gaining it,      └──► Replica::propose, many under way
//!                          dropped on losing it)
//! ```
//!
//! Absent on purpose: nothing here is stored, and nothing survives the loss of leadership but open connections. What
//! foragers should run follows from the replicated state; what they hold, they say themselves.

mod clock;
mod convert;
mod dispatch;
mod hello;
mod leadership;
mod lease;
mod proposals;
mod register;
mod session;
#[cfg(planted_bugs)]
mod uncommitted;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use antfarm_model::Epoch;
use antfarm_planted::{Bug, planted};
use antfarm_protocol::{ForagerMessage, HeartbeatAck, MemberAddress, QueenMessage, Welcome};
use antfarm_replication::{Leadership as Hint, NotLeading, Office as Opened};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::MissedTickBehavior;

use crate::desk::{ProposeFailure, Request};
use crate::sessions::{Heard, MAX_UNHEARD, SessionId};
use crate::shared::Shared;
use leadership::{Leadership, Loss};
use session::Session;

/// Requests, or things heard, that are taken before what follows from them is looked at.
const MAX_TAKEN: usize = 1_024;

/// The wait before leadership is confirmed again when that failed.
const REOPEN: Duration = Duration::from_millis(5);

/// The inputs of an office.
pub(crate) struct Inputs {
    pub(crate) requests: mpsc::Receiver<Request>,
    pub(crate) heard: mpsc::Receiver<Heard>,
    /// Rises when the office is to end.
    pub(crate) stop: watch::Receiver<bool>,
}

/// Runs the office until it is stopped.
pub(crate) async fn run(shared: Shared, mut inputs: Inputs) {
    let mut hint = shared.replica.leadership();
    let (opened_sender, mut opened) = mpsc::channel(1);
    let mut office = Office {
        shared,
        sessions: BTreeMap::new(),
        leading: None,
        led: None,
        hint: Hint::Following { leader: None },
        opening: false,
        opened: opened_sender,
    };
    let mut tick = tokio::time::interval(office.shared.config.scheduler.tick.to_std());
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut members = office.shared.replica.members();
    let mut heard = Vec::new();
    loop {
        let starts_due_in = office.leading.as_ref().and_then(Leadership::starts_due_in);
        let current = *hint.borrow_and_update();
        office.follow(current);
        tokio::select! {
            biased;
            () = stopped(&mut inputs.stop) => break,
            _ = hint.changed() => {}
            Ok(()) = members.changed() => office.tell_members(),
            Some(opened) = opened.recv() => office.opened(opened).await,
            _ = tick.tick() => {
                office.take_heard(&mut inputs.heard);
                office.tick();
            }
            loss = Leadership::settle_next(&mut office.leading) => office.settled(loss),
            () = tokio::time::sleep(starts_due_in.unwrap_or_default()), if starts_due_in.is_some() => {}
            _ = inputs.heard.recv_many(&mut heard, MAX_TAKEN) => {
                for heard in heard.drain(..) {
                    office.hear(heard);
                }
            }
            Some(request) = inputs.requests.recv(), if office.takes_requests() => office.ask(request),
        }
        office.take_requests(&mut inputs.requests);
        office.take_turn();
        office.flush().await;
    }
    office.resign();
}

/// Waits for the stop; whoever could say so may be gone, and that means the same.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}

struct Office {
    shared: Shared,
    sessions: BTreeMap<SessionId, Session>,
    leading: Option<Leadership>,
    /// The last epoch that this queen led in.
    led: Option<Epoch>,
    /// What the replica said last about who leads.
    hint: Hint,
    /// Leadership is being confirmed.
    opening: bool,
    opened: mpsc::Sender<Result<Opened, NotLeading>>,
}

impl Office {
    /// Follows what the replica says about who leads.
    fn follow(&mut self, hint: Hint) {
        let led = self.leading.as_ref().map(Leadership::term);
        match (led, hint) {
            (Some(led), Hint::Leading { term }) if led == term => {}
            (Some(_), Hint::Leading { .. } | Hint::Following { .. }) => self.resign(),
            (None, Hint::Leading { .. }) => {}
            (None, Hint::Following { leader }) => {
                // A forager that has no session with the new leader looks for it at once.
                if self.hint != hint && leader.is_some() {
                    self.welcome_all();
                }
            }
        }
        self.hint = hint;
        let doubts = self.leading.as_mut().is_some_and(Leadership::take_doubt);
        if doubts || (self.leading.is_none() && matches!(hint, Hint::Leading { .. })) {
            self.confirm_leadership();
        }
    }

    /// Asks a quorum whether this queen leads.
    fn confirm_leadership(&mut self) {
        if std::mem::replace(&mut self.opening, true) {
            return;
        }
        let (replica, opened) = (self.shared.replica.clone(), self.opened.clone());
        self.shared.env.spawn(async move {
            let result = replica.open_office().await;
            if result.is_err() {
                tokio::time::sleep(REOPEN).await;
            }
            let _ = opened.send(result).await; // the office may have ended
        });
    }

    async fn opened(&mut self, opened: Result<Opened, NotLeading>) {
        self.opening = false;
        match (opened, &mut self.leading) {
            (Ok(opened), Some(leading)) if leading.epoch == opened.epoch => leading.confirmed(),
            (Ok(opened), _) => {
                self.resign();
                self.take_office(opened).await;
            }
            (Err(error), leading) => {
                if leading.is_some() {
                    tracing::warn!(%error, "this queen leads no more");
                }
                self.resign();
            }
        }
    }

    async fn take_office(&mut self, opened: Opened) {
        let led_before = self.led == Some(opened.epoch);
        match Leadership::new(&self.shared, opened, led_before).await {
            Ok(leadership) => {
                tracing::info!(epoch = opened.epoch.0, cause = %opened.cause, "this queen leads");
                self.led = Some(opened.epoch);
                self.shared.metrics.leader_changed();
                self.shared.metrics.elected(opened.cause);
                self.shared.metrics.in_office(true);
                self.leading = Some(leadership);
                self.welcome_all();
            }
            Err(error) => tracing::debug!(%error, "a leadership did not begin"),
        }
    }

    fn settled(&mut self, loss: Option<Loss>) {
        if let Some(loss) = loss {
            tracing::warn!(%loss, "this queen leads no more");
            self.resign();
        }
    }

    /// Drops everything that only a leader has.
    fn resign(&mut self) {
        let Some(leading) = self.leading.take() else { return };
        leading.end();
        self.shared.metrics.in_office(false);
        if !planted(Bug::SilenceSurvivesOffice) {
            *self.shared.hearing.write().unwrap_or_else(std::sync::PoisonError::into_inner) = None;
        }
        self.welcome_all();
    }

    fn tick(&mut self) {
        if let Some(leading) = &mut self.leading {
            leading.tick();
        }
    }

    /// Whatever this turn brought, it is one: a leader measures whether it comes in time.
    fn take_turn(&mut self) {
        let Some(loss) = self.leading.as_mut().and_then(Leadership::take_turn) else { return };
        tracing::error!(%loss, "this queen gives up office");
        let replica = self.shared.replica.clone();
        self.shared.env.spawn(async move {
            if let Err(error) = replica.transfer(None).await {
                tracing::warn!(%error, "leadership was not handed over");
            }
        });
        self.resign();
    }

    /// Hears what waits, so that nobody is taken for silent who has spoken.
    fn take_heard(&mut self, heard: &mut mpsc::Receiver<Heard>) {
        for _ in 0..MAX_UNHEARD {
            let Ok(heard) = heard.try_recv() else { return };
            self.hear(heard);
        }
    }

    /// Whether what is asked for can be taken on; otherwise it waits at the desk, which is bounded.
    fn takes_requests(&self) -> bool {
        self.leading.as_ref().is_none_or(Leadership::has_room)
    }

    /// Takes what has been asked for meanwhile, so that a flood of reports holds nobody up.
    fn take_requests(&mut self, requests: &mut mpsc::Receiver<Request>) {
        for _ in 0..MAX_TAKEN {
            if !self.takes_requests() {
                return;
            }
            let Ok(request) = requests.try_recv() else { return };
            self.ask(request);
        }
    }

    fn ask(&mut self, request: Request) {
        match &mut self.leading {
            Some(leading) => leading.ask(request),
            None => {
                let _ = request.answer.send(Err(ProposeFailure::NotLeading)); // the asker may have gone
            }
        }
    }

    fn hear(&mut self, heard: Heard) {
        match heard {
            Heard::Opened(id, outbox) => {
                self.sessions.insert(id, Session::new(outbox));
            }
            Heard::Closed(id) => self.close(id),
            Heard::Said(id, messages, _share) => {
                for message in messages {
                    self.say(id, message);
                }
            }
            Heard::LogWanted(forager, attempt, answer) => self.want_log(forager, attempt, answer),
        }
    }

    fn close(&mut self, id: SessionId) {
        self.sessions.remove(&id);
        if let Some(leading) = &mut self.leading {
            leading.session_closed(id);
        }
    }

    fn say(&mut self, id: SessionId, message: ForagerMessage) {
        let Some(session) = self.sessions.get_mut(&id) else { return };
        match (message, &mut self.leading) {
            (ForagerMessage::Log(log), _) => session.answer_log(&log),
            (message, Some(leading)) => leading.hear(id, session, message),
            (ForagerMessage::Hello(_), None) => {
                let welcome = stand_by(&self.shared);
                session.queue(welcome);
            }
            (ForagerMessage::Heartbeat(heartbeat), None) => {
                session.queue(HeartbeatAck {
                    epoch: None,
                    incarnation: None,
                    sequence: heartbeat.sequence,
                    lease_ms: None,
                });
            }
            (late, None) => {
                // A report to a former leader: its forager sends it again to the next.
                self.shared.metrics.stale_message(late.type_name());
            }
        }
    }

    fn want_log(
        &mut self,
        forager: antfarm_model::ForagerNo,
        attempt: antfarm_scheduler::AttemptId,
        answer: oneshot::Sender<Option<Arc<str>>>,
    ) {
        let id = self.leading.as_ref().and_then(|leading| leading.session_of(forager));
        if let Some(session) = id.and_then(|id| self.sessions.get_mut(&id)) {
            session.want_log(convert::attempt_ref(attempt), answer);
        }
    }

    /// Tells every forager who leads now.
    fn welcome_all(&mut self) {
        let welcome = match &self.leading {
            Some(leading) => leading.greeting(&self.shared),
            None => stand_by(&self.shared),
        };
        for session in self.sessions.values_mut() {
            session.queue(welcome.clone());
        }
        self.send();
    }

    /// Foragers keep sessions with the members that they were told of last.
    fn tell_members(&mut self) {
        for (id, session) in &mut self.sessions {
            let welcome = match &self.leading {
                Some(leading) => leading.greeting_again(&self.shared, *id),
                None => Some(stand_by(&self.shared)),
            };
            if let Some(welcome) = welcome {
                session.queue(welcome);
            }
        }
        self.send();
    }

    /// Proposes and dispatches what follows from everything that happened, and sends what is to be said.
    async fn flush(&mut self) {
        if let Some(leading) = &mut self.leading {
            let loss = leading.flush(&mut self.sessions).await;
            self.settled(loss);
        }
        self.send();
    }

    fn send(&mut self) {
        let full: Vec<SessionId> =
            self.sessions.iter_mut().filter_map(|(id, session)| (!session.send()).then_some(*id)).collect();
        for id in full {
            tracing::warn!("a forager does not read what it is sent; its session is closed");
            self.close(id);
        }
    }
}

/// What a queen says that does not lead.
fn stand_by(shared: &Shared) -> Welcome {
    let leader = match *shared.replica.leadership().borrow() {
        Hint::Following { leader } => leader,
        Hint::Leading { .. } => None,
    };
    Welcome { epoch: None, leading: false, leader, incarnation: None, lease_ms: None, ..welcome(shared) }
}

fn welcome(shared: &Shared) -> Welcome {
    let members = shared.replica.status().members;
    let address = |member: &antfarm_replication::MemberStatus| Arc::from(member.member.http.as_str());
    Welcome {
        member: shared.config.id,
        epoch: None,
        leading: false,
        leader: None,
        members: members.iter().map(|(id, member)| MemberAddress { id: *id, http: address(member) }).collect(),
        incarnation: None,
        lease_ms: None,
        heartbeat_ms: shared.config.lease.heartbeat.0,
    }
}

impl Session {
    /// Queues a message; confirmations that follow each other become one.
    fn queue(&mut self, message: impl Into<QueenMessage>) {
        let message = message.into();
        if let (QueenMessage::Confirmed(more), Some(QueenMessage::Confirmed(last))) = (&message, self.unsent.last_mut())
            && last.epoch == more.epoch
            && last.attempts.len() + more.attempts.len() <= antfarm_protocol::MAX_ATTEMPTS
        {
            last.attempts.extend_from_slice(&more.attempts);
            return;
        }
        self.unsent.push(message);
    }
}
