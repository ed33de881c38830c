//! The frozen forms of what messages share.

use std::sync::Arc;

use antfarm_model::{CostClass, EffectClass, Fence, GraphNo, NodeNo};
use serde::{Deserialize, Serialize};

use crate::attempt::AttemptRef;
use crate::bounds::MAX_MESSAGES;
use crate::error::{Bounded, DecodeError};
use crate::forager_message::RejectReason;
use crate::json_text::JsonText;
use crate::outcome::{FailureKind, Outcome};
use crate::queen_message::CancelReason;

/// An enumeration without fields, with its frozen twin.
macro_rules! twin {
    ($name:ident = $frozen:ident { $($variant:ident),* }) => {
        #[derive(Debug, Clone, Copy, Serialize, Deserialize)]
        pub(crate) enum $frozen { $($variant),* }

        impl From<$name> for $frozen {
            fn from(value: $name) -> Self {
                match value { $($name::$variant => Self::$variant),* }
            }
        }

        impl From<$frozen> for $name {
            fn from(value: $frozen) -> Self {
                match value { $($frozen::$variant => Self::$variant),* }
            }
        }
    };
}

twin!(CostClass = CostClassV1 { Cpu, Io, Model });
twin!(EffectClass = EffectClassV1 { Pure, Idempotent, Guarded, Irrevocable });
twin!(RejectReason = RejectReasonV1 { NoSlot, UnknownTool, Draining, DeadlinePassed, StaleEpoch });
twin!(CancelReason = CancelReasonV1 { GraphStopped, Deadline, Timeout, Superseded, Unknown });
twin!(FailureKind = FailureKindV1 { Exit, Temporary, Fenced, Signal, NotStarted, BadResult, ResultTooLarge });

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct AttemptV1 {
    graph: u64,
    node: u32,
    index: u32,
    fence: u64,
}

impl From<AttemptRef> for AttemptV1 {
    fn from(attempt: AttemptRef) -> Self {
        Self { graph: attempt.graph.0, node: attempt.node.0, index: attempt.index, fence: attempt.fence.0 }
    }
}

impl From<AttemptV1> for AttemptRef {
    fn from(wire: AttemptV1) -> Self {
        Self { graph: GraphNo(wire.graph), node: NodeNo(wire.node), index: wire.index, fence: Fence(wire.fence) }
    }
}

/// Attempts at consecutive indices of one node that were assigned together: the first, and how many.
pub(crate) type RangeV1 = (AttemptV1, u32);

/// How many of the first messages make one range; at least one.
pub(crate) fn range_length<M>(messages: &[M], follows: impl Fn(&M, &M) -> bool) -> u32 {
    let pairs = messages.windows(2).take(MAX_MESSAGES - 1);
    pairs.take_while(|pair| follows(&pair[0], &pair[1])).map(|_| 1).sum::<u32>() + 1
}

pub(crate) fn freeze_all(attempts: &[AttemptRef]) -> Vec<AttemptV1> {
    attempts.iter().map(|attempt| (*attempt).into()).collect()
}

pub(crate) fn thaw_all(attempts: Vec<AttemptV1>) -> Vec<AttemptRef> {
    attempts.into_iter().map(Into::into).collect()
}

/// The attempts of a range of which each has a message of its own, where a frame has room for so many.
pub(crate) fn thaw_range(
    (first, count): RangeV1,
    room: usize,
) -> Result<impl Iterator<Item = AttemptRef>, DecodeError> {
    Bounded::check("messages in a frame", count as usize, room).map_err(DecodeError::Unbounded)?;
    let end = first.index.checked_add(count).filter(|_| count > 0).ok_or(DecodeError::Malformed)?;
    let first = AttemptRef::from(first);
    Ok((first.index..end).map(move |index| AttemptRef { index, ..first }))
}

/// JSON that crossed as text must be JSON.
pub(crate) fn json(text: Arc<str>) -> Result<JsonText, DecodeError> {
    JsonText::new(text).map_err(|invalid| DecodeError::Json(invalid.to_string()))
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum OutcomeV1 {
    Succeeded { result: Arc<str> },
    Failed { kind: FailureKindV1, message: Arc<str> },
    Interrupted,
}

impl From<&Outcome> for OutcomeV1 {
    fn from(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Succeeded { result } => Self::Succeeded { result: result.clone().into_text() },
            Outcome::Failed { kind, message } => Self::Failed { kind: (*kind).into(), message: message.clone() },
            Outcome::Interrupted => Self::Interrupted,
        }
    }
}

impl TryFrom<OutcomeV1> for Outcome {
    type Error = DecodeError;

    fn try_from(wire: OutcomeV1) -> Result<Self, DecodeError> {
        Ok(match wire {
            OutcomeV1::Succeeded { result } => Self::Succeeded { result: json(result)? },
            OutcomeV1::Failed { kind, message } => Self::Failed { kind: kind.into(), message },
            OutcomeV1::Interrupted => Self::Interrupted,
        })
    }
}
