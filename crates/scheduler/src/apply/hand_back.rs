//! `Reject` and `Return`: a forager hands back attempts that it never started.

use std::sync::Arc;

use antfarm_model::{ForagerNo, Span};

use super::Answer;
use super::step::Step;
use crate::command::RejectReason;
use crate::index::Timer;
use crate::instance::{Ending, InstanceState};
use crate::instances::{AttemptId, Attempts};
use crate::outcome::{Refusal, Reply};

/// Rejections in a row after which a forager gets nothing for a while.
const QUARANTINE_AFTER: u32 = 8;

/// How long that is.
const QUARANTINE: Span = Span::from_secs(30);

impl Step<'_> {
    pub(super) fn hand_back(&mut self, forager: ForagerNo, attempts: &Attempts, ending: Ending) -> Answer {
        let shape = self.shape(attempts.instances.graph).ok_or(Refusal::UnknownGraph)?;
        if !shape.contains(&attempts.instances) {
            return Err(Refusal::UnknownInstance);
        }
        let mut any = false;
        for id in attempts.iter() {
            any |= self.hand_back_one(id, forager, ending);
        }
        if !any {
            return Err(Refusal::UnknownAttempt);
        }
        if let Ending::Rejected(reason) = ending {
            self.note_rejection(forager, reason, shape.tool(attempts.instances.node).tool);
        }
        Ok(Reply::Done)
    }

    fn hand_back_one(&mut self, id: AttemptId, forager: ForagerNo, ending: Ending) -> bool {
        let Some(attempt) = self.close(id, forager, ending, None) else { return false };
        let waits = self.instance(id.instance).is_some_and(|instance| {
            matches!(instance.state, InstanceState::Assigned | InstanceState::Running) && instance.open.is_empty()
        });
        let irrevocable = self.shape(id.instance.graph).is_some_and(|shape| shape.is_irrevocable(id.instance.node));
        if waits && irrevocable && attempt.started_at.is_some() {
            self.need_decision(id.instance, "its forager handed it back after it had said that it ran".into());
        } else if waits && matches!(ending, Ending::Rejected(_)) {
            self.hold_rejected(id.instance);
        } else if waits {
            self.requeue(id.instance);
        }
        true
    }

    fn note_rejection(&mut self, forager: ForagerNo, reason: RejectReason, tool: antfarm_model::ToolNo) {
        let until = self.elapsed().plus(QUARANTINE);
        let quarantined = self.change_forager(forager, |record| {
            record.rejects += 1;
            if reason == RejectReason::UnknownTool {
                Arc::make_mut(&mut record.tools).remove(&tool);
            }
            let quarantined = record.rejects >= QUARANTINE_AFTER && record.quarantined_until.is_none();
            if quarantined {
                record.quarantined_until = Some(until);
            }
            quarantined
        });
        if quarantined == Some(true) {
            self.state.index.timers.at_elapsed(until, Timer::Quarantine(forager));
        }
    }
}
