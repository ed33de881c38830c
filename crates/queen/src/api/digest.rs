//! The digest of the state, computed beside it and kept until the state changes.

use antfarm_model::LogIndex;
use tokio::sync::Mutex;

use super::view::hex;
use crate::shared::Shared;

/// The last digest that was computed. One is computed at a time.
#[derive(Default)]
pub(super) struct Digest(Mutex<Option<(LogIndex, String)>>);

impl Digest {
    /// The digest in hexadecimal digits, and the entry that was the last one applied.
    pub(super) async fn of(&self, shared: &Shared) -> (LogIndex, String) {
        let mut last = self.0.lock().await;
        let applied = shared.replica.read(|state| state.applied().index);
        if let Some(known) = last.as_ref().filter(|(index, _)| *index == applied) {
            return known.clone();
        }
        let snapshot = shared.replica.read(antfarm_scheduler::State::snapshot);
        let computed = shared.env.blocking(move || (snapshot.position().index, hex(&snapshot.digest()))).await;
        last.insert(computed).clone()
    }
}
