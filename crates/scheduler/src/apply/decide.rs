//! `Decide`: somebody says what becomes of an instance whose fate is unknown.

use std::sync::Arc;

use super::Answer;
use super::step::Step;
use crate::command::{Command, Decision, Verdict};
use crate::instance::InstanceState;
use crate::outcome::{Refusal, Reply};

impl Step<'_> {
    pub(super) fn decide(&mut self, decision: &Decision) -> Answer {
        let id = decision.instance;
        self.graph(id.graph)?;
        let instance = self.instance(id).ok_or(Refusal::UnknownInstance)?;
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
                self.note(decision, "retry");
                self.requeue(id);
                Ok(Reply::Done)
            }
            Verdict::Succeed { result } if result.len() > Command::MAX_RESULT_BYTES => Err(Refusal::ResultTooLarge),
            Verdict::Succeed { result } => {
                self.note(decision, "succeed");
                self.succeed(id, Arc::clone(result), None);
                Ok(Reply::Done)
            }
            Verdict::Fail => {
                self.note(decision, "fail");
                let why = format!("{} decided that it failed: {}", decision.by, decision.why);
                self.fail(id, why.into());
                Ok(Reply::Done)
            }
        }
    }

    /// Writes who decided what, and why, beside the attempt that it is about.
    fn note(&mut self, decision: &Decision, verdict: &str) {
        if let Some(last) = self.instance_mut(decision.instance).and_then(|instance| instance.closed.last_mut()) {
            last.message = Some(format!("{} decided {verdict}: {}", decision.by, decision.why).into());
        }
    }
}
