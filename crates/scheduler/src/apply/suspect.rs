//! `Suspect` and `Trust`: a forager is not heard, so what may run twice is reissued; it is heard again.

use antfarm_model::{ForagerNo, Incarnation};

use super::Answer;
use super::step::Step;
use crate::instance::{Instance, InstanceState};
use crate::instances::AttemptId;
use crate::outcome::Reply;

impl Step<'_> {
    pub(super) fn suspect(&mut self, forager: ForagerNo, incarnation: Incarnation) -> Answer {
        let record = self.incarnation(forager, incarnation)?;
        if record.lost || record.suspect {
            return Ok(Reply::Done);
        }
        let open: Vec<AttemptId> =
            record.attempts().filter(|(_, attempt)| attempt.cancel.is_none()).map(|(id, _)| *id).collect();
        self.change_forager(forager, |record| record.suspect = true);
        for id in open {
            let overlaps =
                self.shape(id.instance.graph).is_some_and(|shape| shape.tool(id.instance.node).effects.may_overlap());
            let alone = self.instance(id.instance).is_some_and(|instance| {
                instance.open.len() == 1 && matches!(instance.state, InstanceState::Assigned | InstanceState::Running)
            });
            if overlaps && alone {
                self.requeue(id.instance);
            }
        }
        Ok(Reply::Done)
    }

    pub(super) fn trust(&mut self, forager: ForagerNo, incarnation: Incarnation) -> Answer {
        let record = self.incarnation(forager, incarnation)?;
        if record.lost {
            return Ok(Reply::Done);
        }
        let open: Vec<_> = record.attempts().map(|(id, attempt)| (*id, attempt.started_at.is_some())).collect();
        self.change_forager(forager, |record| record.suspect = false);
        for (id, started) in open {
            let waits = |instance: &Instance| instance.state == InstanceState::Ready && instance.open.len() == 1;
            if self.instance(id.instance).is_some_and(waits) {
                // Nobody else has begun: the attempt that is there is enough.
                self.set(id.instance, InstanceState::Assigned, Some((forager, id.fence)));
                if started {
                    self.set(id.instance, InstanceState::Running, Some((forager, id.fence)));
                }
            }
        }
        Ok(Reply::Done)
    }
}
