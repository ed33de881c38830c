//! `Reject` and `Return`: a forager hands back attempts that it never started.

use antfarm_model::ForagerNo;

use super::Answer;
use super::step::Step;
use crate::event::Event;
use crate::instance::{Ending, InstanceState};
use crate::instances::{AttemptId, Attempts};
use crate::outcome::{Refusal, Reply};

impl Step<'_> {
    pub(super) fn hand_back(&mut self, forager: ForagerNo, attempts: &Attempts, ending: Ending) -> Answer {
        let shape = self.shape(attempts.instances.graph).ok_or(Refusal::UnknownGraph)?;
        if !shape.contains(&attempts.instances) {
            return Err(Refusal::UnknownInstance);
        }
        let open: Vec<AttemptId> = attempts.iter().filter(|id| self.state.holder(id) == Some(forager)).collect();
        if open.is_empty() {
            return Err(Refusal::UnknownAttempt);
        }
        if let Ending::Rejected(reason) = ending {
            let number = u32::try_from(open.len()).unwrap_or(u32::MAX);
            self.tell(Event::Rejected { forager, attempts: *attempts, number, reason });
        }
        for id in open {
            self.hand_back_one(id, forager, ending);
        }
        if let Ending::Rejected(reason) = ending {
            self.judge_reject(forager, attempts, reason, shape.tool(attempts.instances.node).tool);
        }
        Ok(Reply::Done)
    }

    fn hand_back_one(&mut self, id: AttemptId, forager: ForagerNo, ending: Ending) {
        let Some(attempt) = self.close(id, forager, |_| (ending, None)) else { return };
        let waits = self.instance(id.instance).is_some_and(|instance| {
            matches!(instance.state, InstanceState::Assigned | InstanceState::Running) && instance.open.is_empty()
        });
        let irrevocable = self.shape(id.instance.graph).is_some_and(|shape| shape.is_irrevocable(id.instance.node));
        if waits && irrevocable && attempt.started_at.is_some() {
            self.need_decision(id.instance, "its forager handed it back after it had said that it ran".into());
        } else if waits {
            self.requeue(id.instance);
        }
    }
}
