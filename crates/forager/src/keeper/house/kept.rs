//! One attempt, as the keeper has it: running, or ended and not forgotten.

use std::sync::Arc;
use std::time::Duration;

use antfarm_protocol::AttemptRef;
use tokio::sync::watch;

use crate::executor::{Log, StopCause};
use crate::keeper::Due;
use crate::keeper::wire::{Ended, Held, Start};
use crate::process::ProcessMark;

/// An attempt.
pub(super) struct Kept {
    mark: u64,
    pub(super) guarded: bool,
    /// When it was taken, on the monotonic clock.
    pub(super) began: Duration,
    pub(super) program: Option<ProcessMark>,
    pub(super) log: Arc<Log>,
    pub(super) ended: Option<Ended>,
    until: watch::Sender<Until>,
}

/// Until when an attempt may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Until {
    /// The lease, for what is guarded.
    lease: Due,
    /// What was asked for.
    stop: Due,
    /// Why it was asked for.
    cause: Option<StopCause>,
}

impl Until {
    pub(super) fn due(self) -> Due {
        self.lease.and(self.stop)
    }

    /// Why it has ended, if it was made to: without being asked for, because the lease was over.
    pub(super) fn cause(self) -> StopCause {
        self.cause.unwrap_or(StopCause::Interrupted)
    }
}

impl Kept {
    /// An attempt that is about to be started, and where it hears until when it may run.
    pub(super) fn new(start: &Start, lease: Due, began: Duration) -> (Self, watch::Receiver<Until>) {
        let lease = if start.guarded { lease } else { Due::NEVER };
        let (until, due) = watch::channel(Until { lease, stop: Due::NEVER, cause: None });
        let (mark, guarded) = (start.mark, start.guarded);
        (Self { mark, guarded, began, program: None, log: Arc::default(), ended: None, until }, due)
    }

    pub(super) fn runs(&self) -> bool {
        self.ended.is_none()
    }

    /// Whether somebody wants to know that it has ended.
    pub(super) fn is_asked_to_end(&self) -> bool {
        self.until.borrow().cause.is_some()
    }

    #[cfg(test)]
    pub(super) fn due(&self) -> Due {
        self.until.borrow().due()
    }

    pub(super) fn lease_until(&mut self, lease: Due) {
        self.until.send_modify(|until| until.lease = lease);
    }

    pub(super) fn stop(&mut self, due: Due, cause: StopCause) {
        self.until.send_modify(|until| {
            until.stop = until.stop.and(due);
            until.cause.get_or_insert(cause);
        });
    }

    pub(super) fn held(&self, attempt: AttemptRef) -> Held {
        Held { attempt, mark: self.mark, guarded: self.guarded, program: self.program, has_ended: self.ended.is_some() }
    }
}
