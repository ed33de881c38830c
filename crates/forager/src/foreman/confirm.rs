//! `task.confirmed`: ends are committed, or nobody knows them; they can be forgotten.

use antfarm_protocol::Confirmed;
use antfarm_storage::StorageError;

use crate::foreman::Foreman;
use crate::journal::Record;

impl Foreman {
    /// The journal need not be synced: an end that is reported again is confirmed again.
    pub(super) fn confirm(&mut self, confirmed: &Confirmed) -> Result<(), StorageError> {
        let attempts = confirmed.attempts.iter().filter(|attempt| self.parts.holdings.forget(attempt));
        let forgotten: Vec<_> = attempts.copied().collect();
        if forgotten.is_empty() {
            return Ok(());
        }
        for attempt in &forgotten {
            tracing::debug!(%attempt, "an end is forgotten");
        }
        self.parts.journal.note(&Record::Forgotten(forgotten))
    }
}
