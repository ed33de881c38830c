//! Asking a run to stop.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

/// A request to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stop {
    /// How long a program has between SIGTERM and SIGKILL.
    pub(crate) grace: Duration,
    /// Why.
    pub(crate) cause: StopCause,
}

/// Why a run is stopped. Sent to the keeper: variants are appended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum StopCause {
    /// The leader cancelled it.
    Cancelled,
    /// The lease is over, or the forager ends.
    Interrupted,
}

/// Where a built-in tool hears that it must stop.
#[derive(Debug)]
pub(crate) struct StopSignal(oneshot::Receiver<StopCause>);

impl StopSignal {
    pub(crate) fn new(receiver: oneshot::Receiver<StopCause>) -> Self {
        Self(receiver)
    }

    /// Waits for the request. A foreman that is gone wants nothing to go on.
    pub(crate) async fn wait(&mut self) -> StopCause {
        (&mut self.0).await.unwrap_or(StopCause::Interrupted)
    }
}
