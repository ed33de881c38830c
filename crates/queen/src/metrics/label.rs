//! How endings are called in documents and metrics.

use antfarm_scheduler::{Ending, FailureKind, RejectReason};

/// How an attempt ended, in one word.
pub(crate) const fn ending(ending: Ending) -> &'static str {
    match ending {
        Ending::Succeeded => "succeeded",
        Ending::Failed(_) => "failed",
        Ending::Cancelled => "cancelled",
        Ending::TimedOut => "timed_out",
        Ending::Interrupted => "interrupted",
        Ending::Lost => "lost",
        Ending::Rejected(_) => "rejected",
        Ending::Returned => "returned",
    }
}

/// In which way, where there are several.
pub(crate) const fn manner(ending: Ending) -> Option<&'static str> {
    match ending {
        Ending::Failed(kind) => Some(failure(kind)),
        Ending::Rejected(reason) => Some(reject(reason)),
        Ending::Succeeded
        | Ending::Cancelled
        | Ending::TimedOut
        | Ending::Interrupted
        | Ending::Lost
        | Ending::Returned => None,
    }
}

/// Why a forager would not run an attempt.
pub(crate) const fn reject(reason: RejectReason) -> &'static str {
    reason.as_str()
}

const fn failure(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Exit => "exit",
        FailureKind::Temporary => "temporary",
        FailureKind::Fenced => "fenced",
        FailureKind::Signal => "signal",
        FailureKind::NotStarted => "not_started",
        FailureKind::BadResult => "bad_result",
        FailureKind::ResultTooLarge => "result_too_large",
    }
}
