//! The end of an attempt: remembered first, then reported.

use antfarm_model::EffectClass;
use antfarm_protocol::{AttemptRef, Outcome};
use antfarm_storage::StorageError;

use crate::executor::End;
use crate::foreman::Foreman;
use crate::foreman::holdings::{Finished, StopCause};
use crate::journal::Record;
use crate::report::Report;

impl Foreman {
    /// A run has ended, and nothing of it is left.
    pub(super) fn ended(&mut self, attempt: AttemptRef, end: End) -> Result<(), StorageError> {
        let Some(Finished { assign, cause, log }) = self.parts.holdings.finish(&attempt) else { return Ok(()) };
        if let Some(log) = log {
            self.logs.keep(attempt, log);
        }
        let report = match (end, cause) {
            (End::Itself(outcome), _) => Report::result(attempt, outcome),
            // Whether an irrevocable effect took place is worth more than why it was stopped.
            (End::Stopped { own: Some(outcome) }, _) if assign.effects == EffectClass::Irrevocable => {
                Report::result(attempt, outcome)
            }
            (End::Stopped { .. }, Some(StopCause::Cancelled)) => Report::cancelled(attempt, true),
            (End::Stopped { .. }, Some(StopCause::Interrupted) | None) => Report::result(attempt, Outcome::Interrupted),
        };
        self.close(report, assign.effects)
    }

    /// Keeps and reports an end. A power cut may take the end of a pure attempt, since that is only computed again: it
    /// needs no sync.
    pub(super) fn close(&mut self, report: Report, effects: EffectClass) -> Result<(), StorageError> {
        let record = Record::Ended(report.clone());
        if effects == EffectClass::Pure {
            self.parts.journal.note(&record)?;
        } else {
            self.parts.journal.note_durably(&record)?;
        }
        self.parts.sessions.tell_leader(report.message().clone());
        self.parts.holdings.end(report);
        Ok(())
    }
}
