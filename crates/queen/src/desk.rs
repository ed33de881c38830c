//! Where the API and the sessions hand in what should be proposed; whoever leads takes it from there.

use antfarm_replication::QueueLength;
use antfarm_scheduler::{Command, Refusal, Reply};
use tokio::sync::{mpsc, oneshot};

use crate::sessions::waiting;

/// Requests that may wait for the leadership; more are refused.
const MAX_WAITING: usize = 4_096;

/// Commands that somebody waits for.
pub(crate) struct Request {
    pub(crate) commands: Vec<Command>,
    pub(crate) answer: oneshot::Sender<Result<Answers, ProposeFailure>>,
}

/// One answer for each command, in order.
pub(crate) type Answers = Vec<Result<Reply, Refusal>>;

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ProposeFailure {
    /// This queen does not lead; nothing was proposed.
    #[error("this queen does not lead")]
    NotLeading,
    /// Too much waits already; nothing was proposed.
    #[error("too many requests wait")]
    Overloaded,
    /// It may or may not come to pass.
    #[error("the outcome is unknown: leadership was lost while it was being decided")]
    OutcomeUnknown,
}

/// A cheap handle to the desk.
#[derive(Debug, Clone)]
pub(crate) struct Desk(mpsc::Sender<Request>);

impl Desk {
    /// A desk, and where its requests come out.
    pub(crate) fn new() -> (Self, mpsc::Receiver<Request>) {
        let (sender, receiver) = mpsc::channel(MAX_WAITING);
        (Self(sender), receiver)
    }

    /// How many requests wait.
    pub(crate) fn queue(&self) -> QueueLength {
        QueueLength { name: "requests at the desk", length: waiting(&self.0), limit: MAX_WAITING }
    }

    /// Has commands proposed in one entry, and waits until it is applied. Dropping the future does not take them back.
    pub(crate) async fn propose(&self, commands: Vec<Command>) -> Result<Answers, ProposeFailure> {
        let (answer, outcome) = oneshot::channel();
        self.0.try_send(Request { commands, answer }).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => ProposeFailure::Overloaded,
            mpsc::error::TrySendError::Closed(_) => ProposeFailure::NotLeading,
        })?;
        outcome.await.unwrap_or(Err(ProposeFailure::OutcomeUnknown))
    }
}
