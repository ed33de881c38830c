//! Sentries that have guarded an attempt to its end, of which nothing is left, and can guard another.
//!
//! To start one takes longer than a short program runs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

use super::attend::Work;

/// One that has nothing to guard for so long ends.
const SPARE_FOR: Duration = Duration::from_secs(5);

/// Where sentries wait for work. A clone is the same one.
#[derive(Clone, Default)]
pub(super) struct Spares(Arc<Mutex<Vec<oneshot::Sender<Work>>>>);

impl Spares {
    fn lock(&self) -> MutexGuard<'_, Vec<oneshot::Sender<Work>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives work to the one that has waited shortest, so that those that are too many end; gives it back if none waits.
    pub(super) fn give(&self, mut work: Work) -> Option<Work> {
        while let Some(spare) = self.lock().pop() {
            match spare.send(work) {
                Ok(()) => return None,
                Err(back) => work = back, // it has stopped waiting
            }
        }
        Some(work)
    }

    /// Waits for work, until there has been none for a while.
    pub(super) async fn wait(&self) -> Option<Work> {
        let (gives, given) = oneshot::channel();
        {
            let mut spares = self.lock();
            spares.retain(|spare| !spare.is_closed());
            spares.push(gives);
        }
        timeout(SPARE_FOR, given).await.ok()?.ok()
    }
}
