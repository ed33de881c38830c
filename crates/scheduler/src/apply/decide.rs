//! `Decide`: somebody says what becomes of an instance whose fate is unknown.

use std::sync::Arc;

use super::Answer;
use super::step::Step;
use crate::command::{Command, Decision, Verdict};
use crate::instance::{Decided, Instance, InstanceState};
use crate::outcome::{Refusal, Reply};

impl Step<'_> {
    pub(super) fn decide(&mut self, decision: &Decision) -> Answer {
        let id = decision.instance;
        self.graph(id.graph)?;
        let instance = self.instance(id).ok_or(Refusal::UnknownInstance)?;
        if let Some(before) = decided_before(instance, decision) {
            return before;
        }
        if instance.state != InstanceState::NeedsDecision {
            return Err(Refusal::NothingToDecide);
        }
        let last = instance.closed.last().ok_or(Refusal::NothingToDecide)?;
        if last.fence != decision.fence {
            return Err(Refusal::WrongFence);
        }
        match &decision.verdict {
            Verdict::Retry { assume_ended } if !assume_ended && !last.ending.is_proven() => Err(Refusal::EndNotProven),
            Verdict::Retry { .. } => {
                self.note(decision);
                self.requeue(id);
                Ok(Reply::Decided { new: true })
            }
            Verdict::Succeed { result } if result.len() > Command::MAX_RESULT_BYTES => Err(Refusal::ResultTooLarge),
            Verdict::Succeed { result } => {
                self.note(decision);
                self.succeed(id, Arc::clone(result), None);
                Ok(Reply::Decided { new: true })
            }
            Verdict::Fail => {
                self.note(decision);
                let why = format!("{} decided that it failed: {}", decision.by, decision.why);
                self.fail(id, why.into());
                Ok(Reply::Decided { new: true })
            }
        }
    }

    /// Writes who decided what, and why, to the attempt that it is about.
    fn note(&mut self, decision: &Decision) {
        let Decision { by, why, verdict, .. } = decision;
        let decided = Decided { verdict: verdict.kind(), by: Arc::clone(by), why: Arc::clone(why), at: self.wall() };
        if let Some(last) =
            self.instance_mut(decision.instance).and_then(|instance| instance.story_mut().closed.last_mut())
        {
            last.decided = Some(Box::new(decided));
        }
    }
}

/// The answer to a decision about an attempt about which somebody has decided: yes, if it was the very same decision,
/// which may have been sent again because its answer was lost. In neither case it changes anything.
fn decided_before(instance: &Instance, decision: &Decision) -> Option<Answer> {
    let attempt = instance.closed.iter().find(|closed| closed.fence == decision.fence)?;
    let before = attempt.decided.as_deref()?;
    let other_result = match &decision.verdict {
        Verdict::Succeed { result } => instance.result() != Some(result),
        Verdict::Retry { .. } | Verdict::Fail => false,
    };
    let Decided { verdict, by, why, at } = before;
    let same = (*verdict, by, why) == (decision.verdict.kind(), &decision.by, &decision.why) && !other_result;
    let refusal = || Refusal::AlreadyDecided { by: Arc::clone(by), verdict: *verdict, at: *at };
    Some(if same { Ok(Reply::Decided { new: false }) } else { Err(refusal()) })
}
