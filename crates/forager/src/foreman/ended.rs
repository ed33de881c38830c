//! The end of an attempt: remembered first, then reported.

use std::sync::Arc;

use antfarm_model::EffectClass;
use antfarm_protocol::{AttemptRef, Outcome};
use antfarm_storage::StorageError;

use crate::executor::{End, Log, StopCause};
use crate::foreman::Foreman;
use crate::report::Report;

impl Foreman {
    /// A run has ended, and nothing of it is left. The keeper may forget it once the journal has its end.
    pub(super) fn ended(&mut self, attempt: AttemptRef, end: End, log: Option<Arc<Log>>) -> Result<(), StorageError> {
        let Some(running) = self.parts.holdings.finish(&attempt) else {
            // The journal has it already, since a former process told it.
            self.forgets.push(attempt);
            return Ok(());
        };
        if running.is_kept() {
            self.forgets.push(attempt);
        }
        if let Some(log) = log {
            self.logs.keep(attempt, log);
        }
        let report = match end {
            End::Itself(outcome) => Report::result(attempt, outcome),
            // Whether an irrevocable effect took place is worth more than why it was stopped.
            End::Stopped { own: Some(outcome), .. } if running.effects == EffectClass::Irrevocable => {
                Report::result(attempt, outcome)
            }
            End::Stopped { cause: StopCause::Cancelled, .. } => Report::cancelled(attempt, true),
            End::Stopped { cause: StopCause::Interrupted, .. } => Report::result(attempt, Outcome::Interrupted),
        };
        self.close(report, running.effects)
    }

    /// Keeps and reports an end. A power cut may take the end of a pure attempt, since that is only computed again: it
    /// needs no sync.
    pub(super) fn close(&mut self, report: Report, effects: EffectClass) -> Result<(), StorageError> {
        tracing::debug!(attempt = %report.attempt(), "an attempt has ended");
        if effects == EffectClass::Pure {
            self.parts.journal.note_end(report.clone())?;
        } else {
            self.parts.journal.note_end_durably(report.clone())?;
        }
        self.parts.sessions.tell_leader(report.message().clone());
        self.parts.holdings.end(report);
        Ok(())
    }
}
