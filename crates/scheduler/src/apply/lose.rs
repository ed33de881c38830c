//! `Lose`: a forager's lease is over, so all its attempts are closed.

use antfarm_model::{ForagerNo, Incarnation};

use super::Answer;
use super::step::Step;
use crate::instance::{Ending, InstanceState};
use crate::instances::AttemptId;
use crate::outcome::Reply;

impl Step<'_> {
    pub(super) fn lose(&mut self, forager: ForagerNo, incarnation: Incarnation) -> Answer {
        let record = self.incarnation(forager, incarnation)?;
        if record.lost {
            return Ok(Reply::Done);
        }
        let open: Vec<AttemptId> = record.attempts().map(|(id, _)| *id).collect();
        self.change_forager(forager, |record| {
            record.lost = true;
            record.suspect = false;
        });
        self.remember_for_a_while(forager);
        for id in open {
            self.close_without_end(id, forager, Ending::Lost);
        }
        Ok(Reply::Done)
    }

    /// Closes an attempt from which no end of its own came, and decides by its effect class what follows.
    pub(super) fn close_without_end(&mut self, id: AttemptId, forager: ForagerNo, ending: Ending) {
        let poison_limit = self.forager(forager).map_or(u32::MAX, |record| record.poison_limit);
        let Some(attempt) = self.close(id, forager, |_| (ending, None)) else { return };
        let Some(shape) = self.shape(id.instance.graph) else { return };
        let Some(instance) = self.instance_mut(id.instance) else { return };
        if attempt.started_at.is_some() {
            instance.story_mut().losses += 1;
        }
        let (losses, state, open) = (instance.losses, instance.state, instance.open.clone());
        if let ([left], InstanceState::Assigned | InstanceState::Running) = (open.as_slice(), state)
            && self.forager(left.forager).is_ok_and(|record| record.suspect)
        {
            self.requeue(id.instance); // the attempt that is left is no better
            return;
        }
        if state.is_final() || !open.is_empty() {
            self.finish_graph(id.instance.graph);
            return;
        }
        if shape.is_irrevocable(id.instance.node) {
            self.need_decision(id.instance, Self::fate_of(ending).into());
        } else if losses >= poison_limit {
            self.fail(id.instance, format!("poison: {losses} foragers in a row were lost or died while it ran").into());
        } else if state != InstanceState::Ready {
            self.requeue(id.instance);
        }
    }
}
