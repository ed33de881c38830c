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
                record.standing.note_success(tool);
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

    pub(super) fn end_quarantine(&mut self, forager: ForagerNo) {
        let now = self.elapsed();
        self.change_forager(forager, |record| record.standing.release(now));
    }

    pub(super) fn end_tool_quarantine(&mut self, forager: ForagerNo, tool: ToolNo) {
        let now = self.elapsed();
        self.change_forager(forager, |record| record.standing.release_tool(tool, now));
    }
}
