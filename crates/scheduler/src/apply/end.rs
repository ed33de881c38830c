//! `End`: attempts have ended. Every report of an end closes its attempt, whether its result is taken or not.

use std::sync::Arc;

use antfarm_model::ForagerNo;
use antfarm_planted::{Bug, planted};

use super::Answer;
use super::step::Step;
use crate::command::{AttemptOutcome, Command, FailureKind};
use crate::forager::{Attempt, CancelReason};
use crate::instance::{ClosedAttempt, Ending, InstanceState};
use crate::instances::{AttemptId, Attempts};
use crate::outcome::{Refusal, Reply};

impl Step<'_> {
    pub(super) fn end(&mut self, forager: ForagerNo, attempts: &Attempts, outcome: &AttemptOutcome) -> Answer {
        let shape = self.shape(attempts.instances.graph).ok_or(Refusal::UnknownGraph)?;
        if !shape.contains(&attempts.instances) {
            return Err(Refusal::UnknownInstance);
        }
        let outcome = &bounded(outcome);
        let irrevocable = shape.is_irrevocable(attempts.instances.node);
        let mut any = false;
        for id in attempts.iter() {
            any |= self.end_one(id, forager, outcome, irrevocable)
                || ((irrevocable || planted(Bug::LateResultTaken)) && self.take_late(id, forager, outcome));
        }
        if any { Ok(Reply::Done) } else { Err(Refusal::UnknownAttempt) }
    }

    fn end_one(&mut self, mut id: AttemptId, forager: ForagerNo, outcome: &AttemptOutcome, irrevocable: bool) -> bool {
        if planted(Bug::FenceNotCompared) {
            id.fence =
                self.instance(id.instance).and_then(|found| found.open.first()).map_or(id.fence, |open| open.fence);
        }
        if matches!(outcome, AttemptOutcome::Interrupted) {
            let open = self.state.holder(&id) == Some(forager);
            self.note_interruption(id, forager);
            self.close_without_end(id, forager, Ending::Interrupted);
            return open;
        }
        let Some(attempt) = self.close(id, forager, |attempt| ending_of(outcome, attempt.cancel)) else { return false };
        self.judge_end(id.instance, forager, outcome, &attempt);
        if self.instance(id.instance).is_some_and(|instance| instance.state.is_final()) {
            self.finish_graph(id.instance.graph);
        } else {
            self.follow(id, forager, outcome, &attempt, irrevocable);
        }
        true
    }

    /// An attempt whose forager knows that it began counts as begun, even if nobody said so before.
    fn note_interruption(&mut self, id: AttemptId, forager: ForagerNo) {
        let (now, wall) = (self.elapsed(), self.wall());
        self.change_forager(forager, |record| record.attempt_mut(&id).map(|attempt| attempt.note_start(now, wall)));
    }

    /// What becomes of the instance of an attempt that was just closed.
    fn follow(
        &mut self,
        id: AttemptId,
        forager: ForagerNo,
        outcome: &AttemptOutcome,
        attempt: &Attempt,
        irrevocable: bool,
    ) {
        let instance = id.instance;
        match outcome {
            AttemptOutcome::Succeeded { result } => {
                self.succeed(instance, Arc::clone(result), Some((forager, id.fence)));
            }
            AttemptOutcome::Failed { .. } if self.is_attempted_elsewhere(id) => {}
            AttemptOutcome::Failed { kind: FailureKind::Signal, message } if irrevocable => {
                self.need_decision(instance, Arc::clone(message)); // no exit of its own
            }
            AttemptOutcome::Failed { kind, message } => {
                let retryable = !irrevocable || matches!(kind, FailureKind::Temporary | FailureKind::NotStarted);
                self.fail_attempt(instance, retryable, Arc::clone(message));
            }
            AttemptOutcome::Cancelled { started: false } if irrevocable && attempt.started_at.is_some() => {
                self.need_decision(instance, Self::fate_of(Ending::Cancelled).into()); // it said before that it ran
            }
            AttemptOutcome::Cancelled { started: false } => {
                if !self.is_attempted_elsewhere(id) {
                    self.requeue(instance);
                }
            }
            AttemptOutcome::Cancelled { started: true } if irrevocable => {
                let ending =
                    if attempt.cancel == Some(CancelReason::Timeout) { Ending::TimedOut } else { Ending::Cancelled };
                self.need_decision(instance, Self::fate_of(ending).into());
            }
            AttemptOutcome::Cancelled { started: true } => {
                if self.is_attempted_elsewhere(id) {
                } else if attempt.cancel == Some(CancelReason::Timeout) {
                    let timeout =
                        self.shape(instance.graph).map(|shape| shape.timeout(instance.node)).unwrap_or_default();
                    self.fail_attempt(
                        instance,
                        true,
                        format!("it ran longer than its time-out of {timeout} and was cancelled").into(),
                    );
                } else {
                    self.requeue(instance);
                }
            }
            AttemptOutcome::Interrupted => {}
        }
    }

    /// Whether the instance is ready again, or another attempt at it is open: then this one's end decides nothing.
    fn is_attempted_elsewhere(&self, id: AttemptId) -> bool {
        self.instance(id.instance)
            .is_some_and(|instance| !instance.open.is_empty() || instance.state == InstanceState::Ready)
    }

    /// The late end of an irrevocable attempt whose fate was unknown is taken, unless somebody has decided.
    fn take_late(&mut self, id: AttemptId, forager: ForagerNo, outcome: &AttemptOutcome) -> bool {
        let Some(instance) = self.instance_mut(id.instance) else { return false };
        let undecided = instance.state == InstanceState::NeedsDecision
            || (planted(Bug::LateResultTaken) && !instance.state.is_final());
        let awaited = |last: &&mut ClosedAttempt| undecided && last.fence == id.fence && last.forager == forager;
        let Some(last) = instance.story_mut().closed.last_mut().filter(awaited) else { return false };
        match outcome {
            AttemptOutcome::Succeeded { result } => {
                last.ending = Ending::Succeeded;
                self.succeed(id.instance, Arc::clone(result), Some((forager, id.fence)));
            }
            AttemptOutcome::Failed { kind: FailureKind::Signal, .. } | AttemptOutcome::Interrupted => {
                last.ending = Ending::Interrupted; // it runs no more, and that is all that is known
            }
            AttemptOutcome::Failed { kind, message } => {
                last.ending = Ending::Failed(*kind);
                last.message = Some(Arc::clone(message));
                let retryable = matches!(kind, FailureKind::Temporary | FailureKind::NotStarted);
                self.fail_attempt(id.instance, retryable, Arc::clone(message));
            }
            AttemptOutcome::Cancelled { started: false } => {
                last.ending = Ending::Cancelled;
                self.requeue(id.instance);
            }
            AttemptOutcome::Cancelled { started: true } => last.ending = Ending::Cancelled,
        }
        true
    }
}

/// The outcome without texts that are longer than any may be: a forager that keeps the contract sends none.
fn bounded(outcome: &AttemptOutcome) -> AttemptOutcome {
    match outcome {
        AttemptOutcome::Succeeded { result } if result.len() > Command::MAX_RESULT_BYTES => AttemptOutcome::Failed {
            kind: FailureKind::ResultTooLarge,
            message: format!("a result of {} bytes, more than any may have", result.len()).into(),
        },
        AttemptOutcome::Failed { kind, message } if message.len() > Command::MAX_MESSAGE_BYTES => {
            AttemptOutcome::Failed {
                kind: *kind,
                message: message.chars().take(Command::MAX_MESSAGE_BYTES / 4).collect::<String>().into(),
            }
        }
        kept @ (AttemptOutcome::Succeeded { .. }
        | AttemptOutcome::Failed { .. }
        | AttemptOutcome::Cancelled { .. }
        | AttemptOutcome::Interrupted) => kept.clone(),
    }
}

fn ending_of(outcome: &AttemptOutcome, cancel: Option<CancelReason>) -> (Ending, Option<Arc<str>>) {
    match outcome {
        AttemptOutcome::Succeeded { .. } => (Ending::Succeeded, None),
        AttemptOutcome::Failed { kind, message } => (Ending::Failed(*kind), Some(Arc::clone(message))),
        AttemptOutcome::Cancelled { .. } if cancel == Some(CancelReason::Timeout) => (Ending::TimedOut, None),
        AttemptOutcome::Cancelled { .. } => (Ending::Cancelled, None),
        AttemptOutcome::Interrupted => (Ending::Interrupted, None),
    }
}
