//! One change of the membership at a time.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::ChangeError;
use crate::membership::Change;

/// Whose turn it is on this leader.
#[derive(Debug)]
pub(crate) struct Turn {
    permit: Arc<Semaphore>,
    change: Mutex<Option<Change>>,
}

impl Turn {
    pub(crate) fn new() -> Self {
        Self { permit: Arc::new(Semaphore::new(1)), change: Mutex::default() }
    }

    /// Takes the turn for a change. While another one has it, this one is refused; one that is the same, such as a client
    /// sends again while it waits for the answer, has its turn afterwards, and finds the change made.
    pub(super) async fn take(&self, change: &Change) -> Result<OwnedSemaphorePermit, ChangeError> {
        if let Ok(permit) = self.permit.clone().try_acquire_owned() {
            self.note(change);
            return Ok(permit);
        }
        if self.change.lock().unwrap_or_else(PoisonError::into_inner).as_ref() != Some(change) {
            return Err(ChangeError::UnderWay);
        }
        let permit = self.permit.clone().acquire_owned().await.map_err(|_| ChangeError::Stopped)?;
        self.note(change);
        Ok(permit)
    }

    fn note(&self, change: &Change) {
        *self.change.lock().unwrap_or_else(PoisonError::into_inner) = Some(change.clone());
    }
}

#[cfg(test)]
mod tests {
    use antfarm_model::MemberId;
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn another_change_is_refused_and_the_same_one_waits() {
        let turn = Turn::new();
        let (first, other) = (Change::Promote { id: MemberId(4) }, Change::Promote { id: MemberId(5) });
        let permit = turn.take(&first).await.expect("nobody has the turn");
        assert_eq!(turn.take(&other).await.err(), Some(ChangeError::UnderWay));
        let mut again = std::pin::pin!(turn.take(&first));
        assert!(again.as_mut().now_or_never().is_none(), "it waits");
        drop(permit);
        drop(again.await.expect("the turn is free"));
        drop(turn.take(&other).await.expect("the turn is free again"));
    }
}
