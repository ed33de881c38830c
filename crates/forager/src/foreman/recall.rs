//! `task.recall`: what was kept for later is handed back, since somebody else could begin it now.

use antfarm_model::EffectClass;
use antfarm_protocol::Recall;
use antfarm_storage::StorageError;

use crate::foreman::Foreman;
use crate::report::Report;

impl Foreman {
    /// What has begun meanwhile goes on, and what is not known will never be started only if it is cancelled.
    pub(super) fn recall(&mut self, recall: &Recall) -> Result<(), StorageError> {
        for attempt in &recall.attempts {
            if self.parts.holdings.release(attempt).is_some() {
                self.close(Report::returned(*attempt), EffectClass::Pure)?;
            }
        }
        Ok(())
    }
}
