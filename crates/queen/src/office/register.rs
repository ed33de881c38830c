//! Hellos: who a forager is, whether it may be that, and what becomes of what it holds.

use antfarm_model::{ForagerNo, Incarnation};
use antfarm_protocol::{AttemptRef, Cancel, CancelReason, ForagerMessage, Hello, Refused, Welcome};
use antfarm_scheduler::{Command, Contact, Forager, Refusal, Registration, Reply};

use super::convert;
use super::dispatch::Held;
use super::hello::is_open_at;
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

/// What a hello is to the state.
enum Standing {
    /// It speaks for the incarnation that counts.
    Registered(ForagerNo, Incarnation),
    /// The name is free, or may be taken over.
    MayRegister,
    /// Another process has the name.
    Refused(Refusal),
}

impl Registering {
    /// Keeps a report until the forager is registered.
    pub(super) fn put_aside(&mut self, report: ForagerMessage) {
        if self.said.len() < MAX_SAID_BEFORE {
            self.said.push(report);
        }
    }
}

impl Leadership {
    pub(super) fn hear_hello(&mut self, id: SessionId, session: &mut Session, hello: Hello) {
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
        match self.standing(id, &hello) {
            Standing::Registered(forager, incarnation) => self.adopt(id, forager, incarnation, &hello),
            Standing::MayRegister => self.register(id, hello),
            Standing::Refused(refusal) => session.queue(Refused { reason: refusal.to_string().into(), retry: true }),
        }
    }

    /// A name that is held costs no entry, however often it is asked for.
    fn standing(&self, id: SessionId, hello: &Hello) -> Standing {
        self.shared.replica.read(|state| {
            let Some(record) = state.forager_named(hello.name.as_str()) else { return Standing::MayRegister };
            if !record.lost && self.speaks_for(id, record, hello) {
                Standing::Registered(record.no, record.incarnation)
            } else if record.may_be_followed_by(hello.process, journal(hello)) {
                Standing::MayRegister
            } else {
                Standing::Refused(Refusal::NameHeld(hello.name.clone()))
            }
        })
    }

    /// Whether a hello is of the process that was registered last. One that was sent before its session learnt of its
    /// incarnation names none.
    fn speaks_for(&self, id: SessionId, record: &Forager, hello: &Hello) -> bool {
        let session = self.active.get(&record.no).filter(|active| active.session == id);
        let incarnation = hello.incarnation.or(session.map(|active| active.incarnation));
        incarnation == Some(record.incarnation) || record.is_process(hello.process)
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
            process: hello.process,
            former: journal(&hello),
            rebooted: hello.rebooted,
            slots: hello.slots,
            class_slots: hello.class_slots.0,
            prefetch: hello.prefetch,
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
            // Whoever spoke for a former incarnation speaks for this one no more, even if the session that asked is gone.
            if self.active.get(&forager).is_some_and(|active| active.incarnation != incarnation) {
                self.dismiss(forager);
            }
            // Heard just now: its lease is not over before its time.
            let now = self.clock.now().elapsed;
            let contact = Contact { incarnation, heard_at: now, broken_at: Some(now), draining: false };
            self.liveness.contacts.insert(forager, contact);
        }
        let Some(Registering { hello, said }) = self.registering.remove(&id) else { return };
        match answer {
            Some(Ok(Reply::Registered { forager, incarnation })) => {
                self.adopt(id, forager, incarnation, &hello);
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
    fn adopt(&mut self, id: SessionId, forager: ForagerNo, incarnation: Incarnation, hello: &Hello) {
        self.dismiss(forager);
        if let Some(other) = self.forager_of.get(&id).copied() {
            self.dismiss(other); // one session, one forager
        }
        let now = self.clock.now().elapsed;
        let running = hello.running.iter().map(|attempt| (convert::attempt_id(*attempt), Held::acknowledged(now)));
        let ended = hello.ended.iter().map(|attempt| (convert::attempt_id(*attempt), Held::ended(now)));
        let held = running.chain(ended).collect();
        self.active.insert(forager, Active { session: id, incarnation, held });
        self.forager_of.insert(id, forager);
        let contact = Contact { incarnation, heard_at: now, broken_at: None, draining: hello.draining };
        self.liveness.contacts.insert(forager, contact);
        let unreported = self.shared.replica.read(|state| {
            let open = |id: &_| state.forager(forager).and_then(|forager| forager.attempt(id)).copied();
            let running = hello.running.iter().map(|attempt| convert::attempt_id(*attempt));
            running.filter(|id| open(id).is_some_and(|attempt| attempt.started_at.is_none())).collect::<Vec<_>>()
        });
        for attempt in unreported {
            self.note_start(forager, attempt);
        }
        // No lease yet: a heartbeat follows, and its answer grants one that counts from when that was sent.
        let welcome = Welcome { incarnation: Some(incarnation), ..self.greeting(&self.shared) };
        self.say_later(id, welcome.into());
        self.cancel_closed(id, forager, incarnation, hello);
        self.look_again(forager);
        self.note_change();
    }

    /// What a forager holds unstarted and should not run any more is taken back before it may have a lease to start it.
    fn cancel_closed(&mut self, id: SessionId, forager: ForagerNo, incarnation: Incarnation, hello: &Hello) {
        let closed: Vec<AttemptRef> = self.shared.replica.read(|state| {
            let open = |attempt: &AttemptRef| {
                state.forager(forager).is_some_and(|forager| forager.attempt(&convert::attempt_id(*attempt)).is_some())
            };
            hello.unstarted.iter().copied().filter(|attempt| !open(attempt)).collect()
        });
        for attempt in closed {
            let (epoch, reason) = (self.epoch, CancelReason::Unknown);
            self.say_later(id, Cancel { epoch, incarnation, attempt, reason }.into());
        }
    }

    /// Whoever speaks for a forager speaks for it no more. If the session goes on, it is greeted anew when it talks.
    pub(super) fn dismiss(&mut self, forager: ForagerNo) {
        if let Some(former) = self.active.remove(&forager) {
            self.forager_of.remove(&former.session);
        }
    }
}

/// The incarnation of which a hello's process has the journal: its own, or that of the process before it.
fn journal(hello: &Hello) -> Option<Incarnation> {
    hello.incarnation.or(hello.former)
}
