//! A run that goes on.

use antfarm_protocol::AttemptRef;
use tokio::sync::oneshot;

use crate::executor::{Stop, StopCause};
use crate::keeper::Keeper;

/// How a run is stopped.
#[derive(Debug)]
pub(crate) struct Run(Kind);

#[derive(Debug)]
enum Kind {
    /// Dropped, it is stopped.
    BuiltIn(Option<oneshot::Sender<StopCause>>),
    /// Dropped, it goes on.
    Kept(AttemptRef, Keeper),
}

impl Run {
    /// One in this process.
    pub(super) fn built_in(stop: oneshot::Sender<StopCause>) -> Self {
        Self(Kind::BuiltIn(Some(stop)))
    }

    /// One under the keeper.
    pub(crate) fn kept(attempt: AttemptRef, keeper: Keeper) -> Self {
        Self(Kind::Kept(attempt, keeper))
    }

    /// Whether it is the keeper's, and outlives this process.
    pub(crate) fn is_kept(&self) -> bool {
        matches!(self.0, Kind::Kept(..))
    }

    /// Stops it. Stopped again, the earlier end and the first cause count.
    pub(crate) fn stop(&mut self, Stop { grace, cause }: Stop) {
        match &mut self.0 {
            Kind::BuiltIn(stop) => {
                // It may have been stopped before, or have ended by itself in this moment.
                let _ = stop.take().map(|stop| stop.send(cause));
            }
            Kind::Kept(attempt, keeper) => keeper.stop(*attempt, grace, cause),
        }
    }
}
