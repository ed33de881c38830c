//! `task.cancel`: an attempt is not wanted any more. One that never came will never be started.

use antfarm_model::EffectClass;
use antfarm_protocol::Cancel;
use antfarm_storage::StorageError;

use crate::executor::{Stop, StopCause};
use crate::foreman::Foreman;
use crate::foreman::holdings::Known;
use crate::report::Report;

impl Foreman {
    pub(super) fn cancel(&mut self, cancel: Cancel) -> Result<(), StorageError> {
        let attempt = cancel.attempt;
        let has_memory = self.parts.holdings.has_memory();
        match self.parts.holdings.know(&attempt) {
            Known::Running(running) if running.is_launched() => {
                let grace = self.parts.config.kill_grace.to_std();
                running.stop(Stop { grace, cause: StopCause::Cancelled });
                Ok(())
            }
            Known::Running(_) => {
                self.starts.retain(|start| *start != attempt);
                self.parts.holdings.finish(&attempt);
                self.close(Report::cancelled(attempt, false), EffectClass::Pure)
            }
            Known::Unstarted => {
                self.parts.holdings.release(&attempt);
                self.close(Report::cancelled(attempt, false), EffectClass::Pure)
            }
            Known::Ended(report) => {
                let message = report.message().clone();
                self.parts.sessions.tell_leader(message);
                Ok(())
            }
            Known::Confirmed => Ok(()),
            Known::New if has_memory => self.close(Report::cancelled(attempt, false), EffectClass::Pure),
            Known::New => {
                tracing::warn!(%attempt, "cancel not taken: too many ends wait to be confirmed; the leader will send it again");
                Ok(())
            }
        }
    }
}
