//! The frozen forms of what a forager says.

use std::sync::Arc;

use antfarm_model::{Epoch, Incarnation, Name};
use serde::{Deserialize, Serialize};

use crate::error::DecodeError;
use crate::forager_message::{
    Accept, Cancelled, ClassSlots, ForagerMessage, Heartbeat, Hello, Load, Log, Reject, Returned, TaskResult,
};
use crate::outcome::Outcome;
use crate::wire::values::{
    AttemptV1, OutcomeV1, RangeV1, RejectReasonV1, freeze_all, range_length, thaw_all, thaw_range,
};

#[derive(Serialize, Deserialize)]
pub(crate) enum ForagerMessageV1 {
    Hello(HelloV1),
    Heartbeat {
        epoch_seen: u64,
        sequence: u64,
        running: u32,
        load_average_percent: u32,
        running_digest: u64,
    },
    Accept {
        attempts: Vec<AttemptV1>,
    },
    Reject {
        attempt: AttemptV1,
        reason: RejectReasonV1,
    },
    /// Of a range, all ended in the same way.
    Result {
        attempts: RangeV1,
        outcome: OutcomeV1,
    },
    Cancelled {
        attempt: AttemptV1,
        started: bool,
    },
    Returned {
        attempts: Vec<AttemptV1>,
    },
    Log {
        request: u64,
        found: bool,
        text: Arc<str>,
    },
}

#[derive(Serialize, Deserialize)]
pub(crate) struct HelloV1 {
    cluster: Option<Name>,
    name: Name,
    process: Option<u64>,
    former: Option<u64>,
    incarnation: Option<u64>,
    epoch_seen: u64,
    rebooted: bool,
    slots: u32,
    cpu_slots: Option<u32>,
    io_slots: Option<u32>,
    model_slots: Option<u32>,
    prefetch: u32,
    tools: Vec<Name>,
    draining: bool,
    running: Vec<AttemptV1>,
    unstarted: Vec<AttemptV1>,
    ended: Vec<AttemptV1>,
}

impl From<&ForagerMessage> for ForagerMessageV1 {
    fn from(message: &ForagerMessage) -> Self {
        match message {
            ForagerMessage::Hello(hello) => Self::Hello(hello.into()),
            ForagerMessage::Heartbeat(heartbeat) => Self::Heartbeat {
                epoch_seen: heartbeat.epoch_seen.0,
                sequence: heartbeat.sequence,
                running: heartbeat.load.running,
                load_average_percent: heartbeat.load.load_average_percent,
                running_digest: heartbeat.running_digest,
            },
            ForagerMessage::Accept(accept) => Self::Accept { attempts: freeze_all(&accept.attempts) },
            ForagerMessage::Reject(reject) => {
                Self::Reject { attempt: reject.attempt.into(), reason: reject.reason.into() }
            }
            ForagerMessage::Result(result) => {
                Self::Result { attempts: (result.attempt.into(), 1), outcome: (&result.outcome).into() }
            }
            ForagerMessage::Cancelled(cancelled) => {
                Self::Cancelled { attempt: cancelled.attempt.into(), started: cancelled.started }
            }
            ForagerMessage::Returned(returned) => Self::Returned { attempts: freeze_all(&returned.attempts) },
            ForagerMessage::Log(log) => Self::Log { request: log.request, found: log.found, text: log.text.clone() },
        }
    }
}

impl ForagerMessageV1 {
    /// The form of the first messages: of as many as make one range, and how many those are.
    pub(crate) fn of_first(messages: &[ForagerMessage]) -> (Self, usize) {
        let follows = |one: &ForagerMessage, next: &ForagerMessage| match (one, next) {
            (ForagerMessage::Result(one), ForagerMessage::Result(next)) => one.is_followed_by(next),
            (_, _) => false,
        };
        let mut frozen = Self::from(&messages[0]);
        let length = range_length(messages, follows);
        if let Self::Result { attempts: (_, count), .. } = &mut frozen {
            *count = length;
        }
        (frozen, length as usize)
    }

    /// Adds the messages that it is of, at most `room`.
    pub(crate) fn thaw(self, room: usize, messages: &mut Vec<ForagerMessage>) -> Result<(), DecodeError> {
        let message = match self {
            Self::Result { attempts, outcome } => {
                let outcome = Outcome::try_from(outcome)?;
                let attempts = thaw_range(attempts, room)?;
                messages.extend(attempts.map(|attempt| TaskResult { attempt, outcome: outcome.clone() }.into()));
                return Ok(());
            }
            Self::Hello(hello) => Hello::from(hello).into(),
            Self::Heartbeat { epoch_seen, sequence, running, load_average_percent, running_digest } => {
                let load = Load { running, load_average_percent };
                Heartbeat { epoch_seen: Epoch(epoch_seen), sequence, load, running_digest }.into()
            }
            Self::Accept { attempts } => Accept { attempts: thaw_all(attempts) }.into(),
            Self::Reject { attempt, reason } => Reject { attempt: attempt.into(), reason: reason.into() }.into(),
            Self::Cancelled { attempt, started } => Cancelled { attempt: attempt.into(), started }.into(),
            Self::Returned { attempts } => Returned { attempts: thaw_all(attempts) }.into(),
            Self::Log { request, found, text } => Log { request, found, text }.into(),
        };
        messages.push(message);
        Ok(())
    }
}

impl From<&Hello> for HelloV1 {
    fn from(hello: &Hello) -> Self {
        let [cpu_slots, io_slots, model_slots] = hello.class_slots.0;
        Self {
            cluster: hello.cluster.clone(),
            name: hello.name.clone(),
            process: hello.process,
            former: hello.former.map(|incarnation| incarnation.0),
            incarnation: hello.incarnation.map(|incarnation| incarnation.0),
            epoch_seen: hello.epoch_seen.0,
            rebooted: hello.rebooted,
            slots: hello.slots,
            cpu_slots,
            io_slots,
            model_slots,
            prefetch: hello.prefetch,
            tools: hello.tools.clone(),
            draining: hello.draining,
            running: freeze_all(&hello.running),
            unstarted: freeze_all(&hello.unstarted),
            ended: freeze_all(&hello.ended),
        }
    }
}

impl From<HelloV1> for Hello {
    fn from(wire: HelloV1) -> Self {
        Self {
            cluster: wire.cluster,
            name: wire.name,
            process: wire.process,
            former: wire.former.map(Incarnation),
            incarnation: wire.incarnation.map(Incarnation),
            epoch_seen: Epoch(wire.epoch_seen),
            rebooted: wire.rebooted,
            slots: wire.slots,
            class_slots: ClassSlots([wire.cpu_slots, wire.io_slots, wire.model_slots]),
            prefetch: wire.prefetch,
            tools: wire.tools,
            draining: wire.draining,
            running: thaw_all(wire.running),
            unstarted: thaw_all(wire.unstarted),
            ended: thaw_all(wire.ended),
        }
    }
}
