//! Between what crosses the socket and what stands in the log.

use antfarm_protocol as protocol;
use antfarm_protocol::AttemptRef;
use antfarm_scheduler::{AttemptId, AttemptOutcome, CancelReason, FailureKind, InstanceId, RejectReason};

pub(super) fn attempt_id(attempt: AttemptRef) -> AttemptId {
    let AttemptRef { graph, node, index, fence } = attempt;
    AttemptId { instance: InstanceId { graph, node, index }, fence }
}

pub(super) fn attempt_ref(attempt: AttemptId) -> AttemptRef {
    let AttemptId { instance: InstanceId { graph, node, index }, fence } = attempt;
    AttemptRef { graph, node, index, fence }
}

pub(super) fn outcome(outcome: protocol::Outcome) -> AttemptOutcome {
    match outcome {
        protocol::Outcome::Succeeded { result } => AttemptOutcome::Succeeded { result: result.into_text() },
        protocol::Outcome::Failed { kind, message } => AttemptOutcome::Failed { kind: failure(kind), message },
        protocol::Outcome::Interrupted => AttemptOutcome::Interrupted,
    }
}

fn failure(kind: protocol::FailureKind) -> FailureKind {
    match kind {
        protocol::FailureKind::Exit => FailureKind::Exit,
        protocol::FailureKind::Temporary => FailureKind::Temporary,
        protocol::FailureKind::Fenced => FailureKind::Fenced,
        protocol::FailureKind::Signal => FailureKind::Signal,
        protocol::FailureKind::NotStarted => FailureKind::NotStarted,
        protocol::FailureKind::BadResult => FailureKind::BadResult,
        protocol::FailureKind::ResultTooLarge => FailureKind::ResultTooLarge,
    }
}

pub(super) fn reject_reason(reason: protocol::RejectReason) -> RejectReason {
    match reason {
        protocol::RejectReason::NoSlot => RejectReason::NoSlot,
        protocol::RejectReason::UnknownTool => RejectReason::UnknownTool,
        protocol::RejectReason::Draining => RejectReason::Draining,
        protocol::RejectReason::DeadlinePassed => RejectReason::DeadlinePassed,
        protocol::RejectReason::StaleEpoch => RejectReason::StaleEpoch,
    }
}

pub(super) fn cancel_reason(reason: CancelReason) -> protocol::CancelReason {
    match reason {
        CancelReason::GraphStopped => protocol::CancelReason::GraphStopped,
        CancelReason::Deadline => protocol::CancelReason::Deadline,
        CancelReason::Timeout => protocol::CancelReason::Timeout,
        CancelReason::Superseded => protocol::CancelReason::Superseded,
    }
}
