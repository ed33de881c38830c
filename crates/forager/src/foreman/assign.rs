//! `task.assign`: an attempt is to be run. Heard again, it is not started again.

use std::sync::Arc;

use antfarm_model::{CostClass, EffectClass};
use antfarm_protocol::{Assign, AttemptRef, Outcome, RejectReason, Work};
use antfarm_storage::StorageError;

use crate::executor::{self, Job, Tool};
use crate::foreman::Foreman;
use crate::foreman::holdings::Known;
use crate::journal::Record;
use crate::report::Report;

impl Foreman {
    pub(super) fn assign(&mut self, assign: Assign) -> Result<(), StorageError> {
        let attempt = assign.attempt;
        match self.parts.holdings.know(&attempt) {
            Known::Running(_) => {
                self.accepted.push(attempt);
                return Ok(());
            }
            Known::Ended(report) => {
                let message = report.message().clone();
                self.parts.sessions.tell_leader(message);
                return Ok(());
            }
            Known::Confirmed => return Ok(()),
            Known::Unstarted => {
                self.parts.holdings.hold(assign);
                return self.begin_held();
            }
            Known::New => {}
        }
        if !self.parts.holdings.has_memory() {
            tracing::warn!(%attempt, "not taken: too many ends wait to be confirmed; the leader will send it again");
            return Ok(());
        }
        if let Some(reason) = self.objection(&assign) {
            return self.close(Report::rejected(attempt, reason), EffectClass::Pure);
        }
        if self.needs_lease(&assign) {
            self.parts.holdings.hold(assign);
            return Ok(());
        }
        match self.outcome_at_once(&assign) {
            Some(outcome) => {
                self.note_call(&attempt);
                self.close(Report::result(attempt, outcome), assign.work.effects)
            }
            None if self.has_slot(assign.work.class) => self.begin(assign),
            None => {
                self.parts.holdings.hold(assign);
                Ok(())
            }
        }
    }

    /// Starts what was held for want of a lease or of a slot, if the leader of today has sent it to the incarnation of
    /// today: what was meant for a former one was closed when that was lost, and may have been given to another.
    pub(super) fn begin_held(&mut self) -> Result<(), StorageError> {
        let today = (self.parts.epoch.seen(), self.parts.identity.incarnation());
        let ready = |(attempt, assign): (&AttemptRef, &Assign)| {
            let is_of_today = (assign.epoch, Some(assign.incarnation)) == today;
            (is_of_today && !self.needs_lease(assign)).then_some((*attempt, assign.work.class))
        };
        let ready: Vec<_> = self.parts.holdings.unstarted().filter_map(ready).collect();
        for (attempt, class) in ready {
            if self.has_slot(class)
                && let Some(assign) = self.parts.holdings.release(&attempt)
            {
                self.begin(assign)?;
            }
        }
        Ok(())
    }

    /// Starts what was kept beyond the slots as far as slots have become free.
    pub(super) fn fill_slots(&mut self) -> Result<(), StorageError> {
        let holdings = &self.parts.holdings;
        let has_free = holdings.running_count() < self.parts.config.slots as usize;
        if has_free && holdings.unstarted_count() > 0 { self.begin_held() } else { Ok(()) }
    }

    fn has_slot(&self, class: CostClass) -> bool {
        let (running, of_class) = self.parts.holdings.slots_taken(class);
        let limit = self.parts.config.class_slots.get(&class);
        running < self.parts.config.slots && limit.is_none_or(|limit| of_class < *limit)
    }

    /// Calls the tools of the attempts whose start is in the journal now. If writing it took so long that the lease is over,
    /// the attempt waits for another one.
    pub(super) fn launch(&mut self) {
        for attempt in std::mem::take(&mut self.starts) {
            let Some(running) = self.parts.holdings.running_mut(&attempt) else { continue };
            let Some((assign, mark)) = running.assign.clone().map(|assign| (assign, running.mark)) else { continue };
            if self.needs_lease(&assign) {
                self.parts.holdings.finish(&attempt);
                self.parts.holdings.hold(Arc::unwrap_or_clone(assign));
                continue;
            }
            let tool =
                self.parts.tools.find(&assign.work.tool).expect("it was found when the attempt was taken").clone();
            self.note_call(&attempt);
            let parts = &mut self.parts;
            let run = executor::start(tool, Job { assign, mark }, &parts.around, parts.happenings.clone());
            parts.holdings.launched(&attempt, run);
            self.accepted.push(attempt);
        }
    }

    /// The tool is called for an instance.
    fn note_call(&mut self, attempt: &AttemptRef) {
        let AttemptRef { graph, node, index, .. } = *attempt;
        tracing::trace!(target: "antfarm_timing", "called {graph} {node} {index}");
        self.calls.note(graph, node, index);
    }

    fn objection(&self, assign: &Assign) -> Option<RejectReason> {
        let config = &self.parts.config;
        let (taken, taken_of_class) = self.parts.holdings.taken(assign.work.class);
        // What is irrevocable is never kept beside what runs.
        let beyond = if assign.work.effects == EffectClass::Irrevocable { 0 } else { config.prefetch };
        let class_is_full = config
            .class_slots
            .get(&assign.work.class)
            .is_some_and(|limit| taken_of_class >= limit.saturating_add(beyond));
        if self.phase.is_draining() {
            Some(RejectReason::Draining)
        } else if self.parts.tools.find(&assign.work.tool).is_none() {
            Some(RejectReason::UnknownTool)
        } else if assign.deadline_ms == Some(0) {
            Some(RejectReason::DeadlinePassed)
        } else if taken >= config.slots + beyond || class_is_full {
            Some(RejectReason::NoSlot)
        } else {
            None
        }
    }

    /// What must not overlap begins only under a lease. Without one the forager may be lost by now, and what a broken link
    /// delivers late may have been decided upon, and given to another.
    fn needs_lease(&self, assign: &Assign) -> bool {
        !assign.work.effects.may_overlap() && !self.lease.holds(self.parts.around.env.boot_time())
    }

    /// A pure tool that takes no time needs neither a start that is remembered nor a task.
    fn outcome_at_once(&self, assign: &Assign) -> Option<Outcome> {
        match self.parts.tools.find(&assign.work.tool) {
            Some(Tool::BuiltIn(tool)) if assign.work.effects == EffectClass::Pure => {
                tool.at_once(&assign.work.args, self.parts.around.result_bytes)
            }
            Some(Tool::BuiltIn(_) | Tool::Program(_)) | None => None,
        }
    }

    /// The start is remembered before it happens: for what must not run twice unnoticed even across a power cut.
    fn begin(&mut self, assign: Assign) -> Result<(), StorageError> {
        let attempt = assign.attempt;
        let Work { class, effects, .. } = *assign.work;
        let mark = self.parts.around.env.random();
        self.parts.holdings.begin(assign, mark);
        self.starts.push(attempt);
        let record = Record::Started { attempt, mark, class, effects };
        match effects {
            EffectClass::Guarded | EffectClass::Irrevocable => self.parts.journal.note_durably(&record),
            EffectClass::Pure | EffectClass::Idempotent => self.parts.journal.note(&record),
        }
    }
}
