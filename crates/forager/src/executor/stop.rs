//! Asking a run to stop.

use std::time::Duration;

use tokio::sync::oneshot;

/// A request to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stop {
    /// How long a program has between SIGTERM and SIGKILL.
    pub(crate) grace: Duration,
}

/// Where a run hears that it must stop.
#[derive(Debug)]
pub(crate) struct StopSignal(oneshot::Receiver<Stop>);

impl StopSignal {
    pub(crate) fn new(receiver: oneshot::Receiver<Stop>) -> Self {
        Self(receiver)
    }

    /// Waits for the request. A foreman that is gone has nobody left to be patient for.
    pub(crate) async fn wait(&mut self) -> Stop {
        (&mut self.0).await.unwrap_or(Stop { grace: Duration::ZERO })
    }
}
