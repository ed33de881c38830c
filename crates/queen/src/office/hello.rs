//! What foragers report to a leader, and what it makes of that.

use std::time::Duration;

use antfarm_model::ForagerNo;
use antfarm_protocol::{
    Accept, AttemptRef, Cancelled, Confirmed, ForagerMessage, MAX_ATTEMPTS, Refused, Reject, Returned, TaskResult,
};
use antfarm_scheduler::{AttemptId, AttemptOutcome, Command, FailureKind, State};

use super::convert;
use super::dispatch::is_awaited;
use super::leadership::Leadership;
use super::proposals::{Item, Whom};
use super::session::Session;
use crate::sessions::SessionId;

/// Starts wait so long for the ends of their attempts, which make them needless, or for an entry in which they can travel:
/// an entry of their own would hold up that of the ends by a sync.
const STARTS_WAIT: Duration = Duration::from_millis(2);

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
            return registering.put_aside(message);
        }
        match self.forager_of.get(&id).copied() {
            Some(forager) => self.hear_report(id, forager, message),
            None => self.shared.metrics.stale_message(message.type_name()),
        }
    }

    pub(super) fn hear_report(&mut self, id: SessionId, forager: ForagerNo, message: ForagerMessage) {
        self.note_contact(forager);
        match message {
            ForagerMessage::Accept(Accept { attempts }) => {
                for attempt in attempts {
                    self.acknowledge(forager, convert::attempt_id(attempt));
                    self.note_start(forager, convert::attempt_id(attempt));
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
            return self.confirm(id, &[attempt]);
        }
        if self.reported.insert((forager, known), id).is_none() {
            self.proposals.queue_report(forager, attempt, command);
        }
    }

    /// The ends of attempts are committed, or were refused: whoever reported them last may forget them.
    pub(super) fn settle_reports(&mut self, forager: ForagerNo, attempts: &[AttemptRef]) {
        let reported = attempts.iter().filter_map(|attempt| {
            let id = self.reported.remove(&(forager, convert::attempt_id(*attempt)))?;
            Some((id, *attempt))
        });
        let reported: Vec<(SessionId, AttemptRef)> = reported.collect();
        for of_session in reported.chunk_by(|(one, _), (next, _)| one == next) {
            let attempts: Vec<AttemptRef> = of_session.iter().map(|(_, attempt)| *attempt).collect();
            self.confirm(of_session[0].0, &attempts);
        }
    }

    /// The start of an attempt is to be proposed before long.
    pub(super) fn note_start(&mut self, forager: ForagerNo, attempt: AttemptId) {
        self.starts_due.get_or_insert_with(|| self.clock.monotonic() + STARTS_WAIT);
        self.started.insert((forager, attempt));
    }

    /// Starts that were reported and not overtaken by the end of their attempts.
    pub(super) fn queue_starts(&mut self) {
        self.starts_due = None;
        let mut commands: Vec<Command> = Vec::new();
        for (forager, attempt) in std::mem::take(&mut self.started) {
            let started = Command::Started { forager, attempts: attempt.into() };
            if !commands.last_mut().is_some_and(|last| last.join(&started)) {
                commands.push(started);
            }
        }
        for command in commands {
            self.proposals.queue(Item { commands: vec![command], whom: Whom::Nobody });
        }
    }

    fn acknowledge(&mut self, forager: ForagerNo, attempt: AttemptId) {
        if let Some(held) = self.active.get_mut(&forager).and_then(|active| active.held.get_mut(&attempt)) {
            held.acknowledged = true;
        }
    }

    pub(super) fn note_contact(&mut self, forager: ForagerNo) {
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

    /// A forager says that it has seen a higher epoch. If a quorum still confirms this leadership, the number is false:
    /// that forager is refused. Otherwise the loss shows by itself at the next proposal, and by the replica's hint.
    pub(super) fn meet_higher_epoch(&mut self, id: SessionId, session: &mut Session) {
        self.shared.metrics.stale_message("higher_epoch");
        self.session_closed(id);
        tracing::error!(epoch = self.epoch.0, "a forager has seen a higher epoch than this leader's");
        let reason = format!("you have seen a higher epoch than {}, which this queen leads in", self.epoch).into();
        session.queue(Refused { reason, retry: true });
        self.doubt();
    }

    fn confirm(&mut self, id: SessionId, attempts: &[AttemptRef]) {
        if let Some(forager) = self.forager_of.get(&id)
            && let Some(active) = self.active.get_mut(forager)
        {
            for attempt in attempts {
                active.held.remove(&convert::attempt_id(*attempt));
            }
        }
        for attempt in attempts {
            tracing::debug!(%attempt, "an end is confirmed");
        }
        for attempts in attempts.chunks(MAX_ATTEMPTS) {
            self.say_later(id, Confirmed { epoch: self.epoch, attempts: attempts.to_vec() }.into());
        }
    }
}

pub(super) fn is_open_at(state: &State, attempt: &AttemptId, forager: ForagerNo) -> bool {
    state.holder(attempt) == Some(forager)
}
