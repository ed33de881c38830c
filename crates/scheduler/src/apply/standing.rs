//! What reports of a forager say about itself: back-offs, quarantines, and their ends.

use antfarm_model::{ForagerNo, ToolNo};

use super::step::Step;
use crate::command::{AttemptOutcome, FailureKind, RejectReason};
use crate::forager::{Attempt, ForagerState};
use crate::index::Timer;
use crate::instances::{Attempts, InstanceId};

impl Step<'_> {
    /// Attempts of one assignment were rejected.
    pub(super) fn judge_reject(&mut self, forager: ForagerNo, attempts: &Attempts, reason: RejectReason, tool: ToolNo) {
        let now = self.elapsed();
        let node = (attempts.instances.graph, attempts.instances.node);
        if let (RejectReason::UnknownTool, Some(record)) = (reason, self.state.forager(forager)) {
            let left = record.tools.iter().copied().filter(|other| *other != tool).collect();
            self.set_tools(forager, left);
        }
        let until =
            self.change_forager(forager, |record| record.standing.note_reject(node, attempts.fence, reason, now));
        if let Some(Some(until)) = until {
            self.state.index.timers.at_elapsed(until, Timer::Quarantine(forager));
        }
    }

    /// An attempt ended by itself.
    pub(super) fn judge_end(
        &mut self,
        instance: InstanceId,
        forager: ForagerNo,
        outcome: &AttemptOutcome,
        attempt: &Attempt,
    ) {
        let Some(tool) = self.shape(instance.graph).map(|shape| shape.tool(instance.node).tool) else { return };
        let open_for = self.elapsed().since(attempt.started_at.unwrap_or(attempt.assigned_at));
        let suspicious = self.change_forager(forager, |record| match outcome {
            AttemptOutcome::Succeeded { .. } => {
                record.standing.note_success();
                false
            }
            AttemptOutcome::Failed { kind: FailureKind::Exit | FailureKind::NotStarted, .. } => {
                record.standing.note_end();
                record.tools.contains(&tool) && record.standing.note_failure(tool, instance, open_for)
            }
            AttemptOutcome::Failed { .. } | AttemptOutcome::Cancelled { .. } | AttemptOutcome::Interrupted => {
                record.standing.note_end();
                false
            }
        });
        if matches!(outcome, AttemptOutcome::Succeeded { .. }) {
            self.forgive_tool(forager, tool);
        }
        if suspicious == Some(true) && self.may_go_well_elsewhere(tool, forager) {
            self.quarantine_tool(forager, tool);
        }
    }

    /// Whether another forager takes work and has the tool, and nothing speaks against it there. O(foragers).
    fn may_go_well_elsewhere(&self, tool: ToolNo, forager: ForagerNo) -> bool {
        self.state.foragers().any(|other| {
            other.no != forager
                && other.state() == ForagerState::Ready
                && other.tools.contains(&tool)
                && other.standing.is_well_with(tool)
        })
    }

    fn quarantine_tool(&mut self, forager: ForagerNo, tool: ToolNo) {
        let now = self.elapsed();
        let until = self.change_forager(forager, |record| record.standing.quarantine_tool(tool, now));
        if let Some(Some(until)) = until {
            self.state.index.timers.at_elapsed(until, Timer::ToolQuarantine(forager, tool));
        }
    }

    /// Forgets what speaks against a forager, and the ends of its quarantines with it.
    pub(super) fn forgive(&mut self, forager: ForagerNo) {
        let Some(record) = self.state.forager(forager) else { return };
        let tools: Vec<ToolNo> = record.standing.tools().map(|(tool, _)| tool).collect();
        for tool in tools {
            self.forgive_tool(forager, tool);
        }
        let before = self.change_forager(forager, |record| std::mem::take(&mut record.standing));
        if let Some(until) = before.and_then(|before| before.quarantined_until) {
            self.state.index.timers.forget_elapsed(until, Timer::Quarantine(forager));
        }
    }

    /// Forgets what happened to a tool at a forager.
    pub(super) fn forgive_tool(&mut self, forager: ForagerNo, tool: ToolNo) {
        if self.state.forager(forager).is_none_or(|record| record.standing.is_well_with(tool)) {
            return;
        }
        let before = self.change_forager(forager, |record| record.standing.forget_tool(tool));
        if let Some(Some(until)) = before {
            self.state.index.timers.forget_elapsed(until, Timer::ToolQuarantine(forager, tool));
        }
    }

    pub(super) fn end_quarantine(&mut self, forager: ForagerNo) {
        let now = self.elapsed();
        self.change_forager(forager, |record| record.standing.release(now));
    }

    pub(super) fn end_tool_quarantine(&mut self, forager: ForagerNo, tool: ToolNo) {
        let now = self.elapsed();
        self.change_forager(forager, |record| record.standing.release_tool(tool, now));
    }
}
