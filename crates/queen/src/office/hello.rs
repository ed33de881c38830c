//! What foragers say to a leader, and what it makes of that.

use antfarm_model::{ForagerNo, Incarnation};
use antfarm_protocol::{
    Accept, AttemptRef, Cancel, CancelReason, Cancelled, Confirmed, ForagerMessage, Heartbeat, HeartbeatAck, Hello,
    Refused, Reject, Returned, TaskResult, Welcome,
};
use antfarm_scheduler::{
    AttemptId, AttemptOutcome, Command, Contact, FailureKind, Refusal, Registration, Reply, State,
};

use super::convert;
use super::dispatch::{Held, is_awaited};
use super::leadership::{Active, Leadership};
use super::proposals::{Item, Whom};
use super::session::Session;
use crate::sessions::SessionId;

/// What a forager may say before its registration is answered; it says again what is over that.
const MAX_SAID_BEFORE: usize = 65_536;

/// A session whose forager is being registered.
pub(super) struct Registering {
    hello: Hello,
    said: Vec<ForagerMessage>,
}

impl Leadership {
    /// Hears one message of a session.
    pub(super) fn hear(&mut self, id: SessionId, session: &mut Session, message: ForagerMessage) {
        let message = match message {
            ForagerMessage::Hello(hello) => return self.hear_hello(id, session, hello),
            ForagerMessage::Heartbeat(heartbeat) => return self.hear_heartbeat(id, session, &heartbeat),
            report @ (ForagerMessage::Accept(_)
            | ForagerMessage::Reject(_)
            | ForagerMessage::Result(_)
            | ForagerMessage::Cancelled(_)
            | ForagerMessage::Returned(_)
            | ForagerMessage::Log(_)) => report,
        };
        if let Some(registering) = self.registering.get_mut(&id) {
            if registering.said.len() < MAX_SAID_BEFORE {
                registering.said.push(message);
            }
            return;
        }
        match self.forager_of.get(&id).copied() {
            Some(forager) => self.hear_report(id, forager, message),
            None => self.shared.metrics.stale_message(message.type_name()),
        }
    }

    fn hear_report(&mut self, id: SessionId, forager: ForagerNo, message: ForagerMessage) {
        self.note_contact(forager);
        match message {
            ForagerMessage::Accept(Accept { attempts }) => {
                for attempt in attempts {
                    self.acknowledge(forager, convert::attempt_id(attempt));
                    self.started.insert((forager, convert::attempt_id(attempt)));
                }
            }
            ForagerMessage::Reject(Reject { attempt, reason }) => {
                let reason = convert::reject_reason(reason);
                if reason == antfarm_scheduler::RejectReason::Draining {
                    self.note_draining(forager);
                }
                let attempts = convert::attempt_id(attempt).into();
                self.report(forager, id, attempt, Command::Reject { forager, attempts, reason });
            }
            ForagerMessage::Result(TaskResult { attempt, outcome }) => {
                let attempts = convert::attempt_id(attempt).into();
                let outcome = self.within_bounds(convert::outcome(outcome));
                self.report(forager, id, attempt, Command::End { forager, attempts, outcome });
            }
            ForagerMessage::Cancelled(Cancelled { attempt, started }) => {
                let attempts = convert::attempt_id(attempt).into();
                let outcome = AttemptOutcome::Cancelled { started };
                self.report(forager, id, attempt, Command::End { forager, attempts, outcome });
            }
            ForagerMessage::Returned(Returned { attempts }) => {
                for attempt in attempts {
                    let attempts = convert::attempt_id(attempt).into();
                    self.report(forager, id, attempt, Command::Return { forager, attempts });
                }
            }
            ForagerMessage::Hello(_) | ForagerMessage::Heartbeat(_) | ForagerMessage::Log(_) => {}
        }
    }

    /// A result that is larger than results may be, whatever its forager thinks of that, is a failure that says so.
    fn within_bounds(&self, outcome: AttemptOutcome) -> AttemptOutcome {
        let limit = self.shared.config.limits.result_bytes;
        match outcome {
            AttemptOutcome::Succeeded { result } if result.len() as u64 > limit.0 => {
                let bytes = result.len();
                let message = format!("its forager sent a result of {bytes} bytes, and at most {limit} are accepted");
                AttemptOutcome::Failed { kind: FailureKind::ResultTooLarge, message: message.into() }
            }
            AttemptOutcome::Succeeded { .. }
            | AttemptOutcome::Failed { .. }
            | AttemptOutcome::Cancelled { .. }
            | AttemptOutcome::Interrupted => outcome,
        }
    }

    /// An attempt is over as far as its forager is concerned; it is confirmed once that is committed, or discarded.
    ///
    /// What the state does not wait for it never will, since a leader has applied all that was ever assigned: that is
    /// discarded without an entry. So a forager makes no more entries than it has attempts, however often it repeats itself.
    fn report(&mut self, forager: ForagerNo, id: SessionId, attempt: AttemptRef, command: Command) {
        let known = convert::attempt_id(attempt);
        self.started.remove(&(forager, known));
        if let Some(held) = self.active.get_mut(&forager).and_then(|active| active.held.get_mut(&known)) {
            held.ended = true;
        }
        if !self.shared.replica.read(|state| is_open_at(state, &known, forager) || is_awaited(state, &known)) {
            return self.confirm(id, attempt);
        }
        if self.reported.insert((forager, known), id).is_none() {
            self.proposals.queue(Item { commands: vec![command], whom: Whom::Confirm(forager, attempt) });
        }
    }

    /// The end of an attempt is committed, or was refused: whoever reported it last may forget it.
    pub(super) fn settle_report(&mut self, forager: ForagerNo, attempt: AttemptRef) {
        if let Some(id) = self.reported.remove(&(forager, convert::attempt_id(attempt))) {
            self.confirm(id, attempt);
        }
    }

    /// Starts that were reported and not overtaken by the end of their attempts.
    pub(super) fn queue_starts(&mut self) {
        for (forager, attempt) in std::mem::take(&mut self.started) {
            let commands = vec![Command::Started { forager, attempts: attempt.into() }];
            self.proposals.queue(Item { commands, whom: Whom::Nobody });
        }
    }

    fn acknowledge(&mut self, forager: ForagerNo, attempt: AttemptId) {
        if let Some(held) = self.active.get_mut(&forager).and_then(|active| active.held.get_mut(&attempt)) {
            held.acknowledged = true;
        }
    }

    fn note_contact(&mut self, forager: ForagerNo) {
        let now = self.clock.now().elapsed;
        if let Some(contact) = self.liveness.contacts.get_mut(&forager) {
            contact.heard_at = now;
        }
    }

    fn note_draining(&mut self, forager: ForagerNo) {
        if let Some(contact) = self.liveness.contacts.get_mut(&forager) {
            contact.draining = true;
        }
    }

    fn hear_heartbeat(&mut self, id: SessionId, session: &mut Session, heartbeat: &Heartbeat) {
        if heartbeat.epoch_seen > self.epoch {
            return self.meet_higher_epoch(id, session);
        }
        let lease_ms = self.forager_of.get(&id).copied().and_then(|forager| {
            self.note_contact(forager);
            self.lease(forager)
        });
        session.queue(HeartbeatAck { epoch: Some(self.epoch), sequence: heartbeat.sequence, lease_ms });
        if !self.forager_of.contains_key(&id) && !self.registering.contains_key(&id) {
            session.queue(self.greeting(&self.shared)); // it talks, and this leader does not know who it is
        }
    }

    /// The lease that may be granted now: never beyond the last contact with a quorum, counted from when it was sought,
    /// plus the whole time; and none while a loss or another registration of the forager is on its way.
    fn lease(&self, forager: ForagerNo) -> Option<u64> {
        let incarnation = self.liveness.contacts.get(&forager)?.incarnation;
        let counts = self.shared.replica.read(|state| {
            state.forager(forager).is_some_and(|forager| !forager.lost && forager.incarnation == incarnation)
        });
        if !counts || self.is_judged(forager) || self.clock.was_suspended() {
            return None;
        }
        let age = self.shared.replica.quorum_acked()?;
        let left = self.shared.config.lease.ttl.to_std().checked_sub(age)?;
        u64::try_from(left.as_millis()).ok().filter(|left| *left > 0)
    }

    fn hear_hello(&mut self, id: SessionId, session: &mut Session, hello: Hello) {
        if hello.epoch_seen > self.epoch {
            return self.meet_higher_epoch(id, session);
        }
        let cluster = &self.shared.config.cluster_id;
        if let Some(other) = hello.cluster.as_ref().filter(|other| *other != cluster) {
            let reason =
                format!("this is the cluster {cluster}, and you belong to {other}: name the right queens").into();
            session.queue(Refused { reason, retry: false });
            return;
        }
        let known = self.shared.replica.read(|state| {
            state.forager_named(hello.name.as_str()).map(|forager| (forager.no, forager.incarnation, forager.lost))
        });
        match known {
            Some((forager, incarnation, false)) if self.incarnation_of(id, forager, &hello) == Some(incarnation) => {
                self.adopt(id, forager, &Hello { incarnation: Some(incarnation), ..hello });
            }
            Some(_) | None => self.register(id, hello),
        }
    }

    /// The incarnation that a hello speaks for. One that was sent before its session learnt of it names none.
    fn incarnation_of(&self, id: SessionId, forager: ForagerNo, hello: &Hello) -> Option<Incarnation> {
        let is_known = self.forager_of.get(&id) == Some(&forager);
        let contact = self.liveness.contacts.get(&forager).filter(|_| is_known);
        hello.incarnation.or(contact.map(|contact| contact.incarnation))
    }

    /// Has a forager registered; it is adopted when that is committed.
    fn register(&mut self, id: SessionId, hello: Hello) {
        if let Some(registering) = self.registering.get_mut(&id) {
            registering.hello = hello; // the answer to the first one is on its way
            return;
        }
        let held = hello.running.iter().chain(&hello.unstarted).chain(&hello.ended);
        let held = held.map(|attempt| convert::attempt_id(*attempt));
        // What is not open has nothing to take over, and an entry has a bound.
        let known = self.shared.replica.read(|state| {
            let former = state.forager_named(hello.name.as_str()).map(|forager| forager.no);
            held.filter(|id| former.is_some_and(|former| is_open_at(state, id, former))).collect()
        });
        let registration = Registration {
            known,
            name: hello.name.clone(),
            former: hello.incarnation.or(hello.former),
            rebooted: hello.rebooted,
            slots: hello.slots,
            class_slots: hello.class_slots.0,
            tools: hello.tools.clone(),
            poison_limit: self.shared.config.scheduler.poison_limit,
        };
        let commands = vec![Command::Register(registration)];
        self.registering.insert(id, Registering { hello, said: Vec::new() });
        self.proposals.queue(Item { commands, whom: Whom::Registering(id) });
    }

    /// The answer to a registration.
    pub(super) fn registered(&mut self, id: SessionId, answer: Option<Result<Reply, Refusal>>) {
        if let Some(Ok(Reply::Registered { forager, incarnation })) = answer {
            // Heard just now, even if the session has gone since: its lease is not over before its time.
            let now = self.clock.now().elapsed;
            let contact = Contact { incarnation, heard_at: now, broken_at: Some(now), draining: false };
            self.liveness.contacts.insert(forager, contact);
        }
        let Some(Registering { hello, said }) = self.registering.remove(&id) else { return };
        match answer {
            Some(Ok(Reply::Registered { forager, incarnation })) => {
                self.adopt(id, forager, &Hello { incarnation: Some(incarnation), ..hello });
                for message in said {
                    self.hear_report(id, forager, message);
                }
            }
            Some(Err(refusal)) => {
                self.say_later(id, Refused { reason: refusal.to_string().into(), retry: true }.into());
            }
            Some(Ok(Reply::Done | Reply::Submitted { .. } | Reply::Decided { .. })) | None => {}
        }
    }

    /// A registered forager talks to this leader: what it runs goes on, what nobody knows is cancelled, and what it
    /// never got is sent by the next dispatch.
    fn adopt(&mut self, id: SessionId, forager: ForagerNo, hello: &Hello) {
        if let Some(before) = self.active.remove(&forager).filter(|before| before.session != id) {
            self.forager_of.remove(&before.session);
        }
        let now = self.clock.now().elapsed;
        let running = hello.running.iter().map(|attempt| (convert::attempt_id(*attempt), Held::acknowledged(now)));
        let ended = hello.ended.iter().map(|attempt| (convert::attempt_id(*attempt), Held::ended(now)));
        let held = running.chain(ended).collect();
        self.active.insert(forager, Active { session: id, held });
        self.forager_of.insert(id, forager);
        let incarnation = hello.incarnation.unwrap_or_default();
        let contact = Contact { incarnation, heard_at: now, broken_at: None, draining: hello.draining };
        self.liveness.contacts.insert(forager, contact);
        let unreported = self.shared.replica.read(|state| {
            let open = |id: &AttemptId| state.forager(forager).and_then(|forager| forager.attempt(id)).copied();
            let running = hello.running.iter().map(|attempt| convert::attempt_id(*attempt));
            running.filter(|id| open(id).is_some_and(|attempt| attempt.started_at.is_none())).collect::<Vec<_>>()
        });
        self.started.extend(unreported.into_iter().map(|attempt| (forager, attempt)));
        self.cancel_closed(id, forager, hello);
        // No lease yet: a heartbeat follows, and its answer grants one that counts from when that was sent.
        let welcome = Welcome { incarnation: hello.incarnation, ..self.greeting(&self.shared) };
        self.say_later(id, welcome.into());
        self.look_again(forager);
        self.note_change();
    }

    /// What a forager holds unstarted and should not run any more is taken back before it may have a lease to start it.
    fn cancel_closed(&mut self, id: SessionId, forager: ForagerNo, hello: &Hello) {
        let closed: Vec<AttemptRef> = self.shared.replica.read(|state| {
            let open = |attempt: &AttemptRef| {
                state.forager(forager).is_some_and(|forager| forager.attempt(&convert::attempt_id(*attempt)).is_some())
            };
            hello.unstarted.iter().copied().filter(|attempt| !open(attempt)).collect()
        });
        for attempt in closed {
            let reason = CancelReason::Unknown;
            self.say_later(id, Cancel { epoch: self.epoch, attempt, reason }.into());
        }
    }

    /// A forager says that it has seen a higher epoch. If a quorum still confirms this leadership, the number is false:
    /// that forager is refused. Otherwise the loss shows by itself at the next proposal, and by the replica's hint.
    fn meet_higher_epoch(&mut self, id: SessionId, session: &mut Session) {
        self.shared.metrics.stale_message("higher_epoch");
        self.session_closed(id);
        tracing::error!(epoch = self.epoch.0, "a forager has seen a higher epoch than this leader's");
        let reason = format!("you have seen a higher epoch than {}, which this queen leads in", self.epoch).into();
        session.queue(Refused { reason, retry: true });
        self.doubt();
    }

    fn confirm(&mut self, id: SessionId, attempt: AttemptRef) {
        if let Some(forager) = self.forager_of.get(&id)
            && let Some(active) = self.active.get_mut(forager)
        {
            active.held.remove(&convert::attempt_id(attempt));
        }
        self.say_later(id, Confirmed { epoch: self.epoch, attempts: vec![attempt] }.into());
    }
}

fn is_open_at(state: &State, attempt: &AttemptId, forager: ForagerNo) -> bool {
    state.holder(attempt).is_some_and(|holder| holder.no == forager)
}
