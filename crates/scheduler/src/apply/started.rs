//! `Started`: attempts run; their run time-out begins.

use antfarm_model::ForagerNo;

use super::Answer;
use super::step::Step;
use crate::index::Timer;
use crate::instance::InstanceState;
use crate::instances::{AttemptId, Attempts};
use crate::outcome::{Refusal, Reply};

impl Step<'_> {
    pub(super) fn started(&mut self, forager: ForagerNo, attempts: &Attempts) -> Answer {
        let shape = self.shape(attempts.instances.graph).ok_or(Refusal::UnknownGraph)?;
        if !shape.contains(&attempts.instances) {
            return Err(Refusal::UnknownInstance);
        }
        let timeout_at = self.elapsed().plus(shape.timeout(attempts.instances.node));
        let mut any = false;
        for id in attempts.iter().filter(|id| self.state.holder(id) == Some(forager)).collect::<Vec<_>>() {
            any = true;
            if self.note_start(id, forager) {
                self.state.index.timers.at_elapsed(timeout_at, Timer::Timeout(id));
            }
        }
        if any { Ok(Reply::Done) } else { Err(Refusal::UnknownAttempt) }
    }

    /// Notes a start that was not known yet; tells whether it was not.
    fn note_start(&mut self, id: AttemptId, forager: ForagerNo) -> bool {
        let (now, wall) = (self.elapsed(), self.wall());
        let new = self.change_forager(forager, |record| {
            record.standing.note_start(id.instance.graph, id.instance.node);
            record.attempt_mut(&id).map(|attempt| attempt.note_start(now, wall))
        });
        if self.instance(id.instance).is_some_and(|instance| instance.state == InstanceState::Assigned) {
            self.set(id.instance, InstanceState::Running, Some((forager, id.fence)));
        }
        new.flatten() == Some(true)
    }
}
