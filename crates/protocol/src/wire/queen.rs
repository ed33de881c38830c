//! The frozen forms of what a queen says.

use std::sync::Arc;

use antfarm_model::{Epoch, Incarnation, MemberId, Name};
use serde::{Deserialize, Serialize};

use crate::error::DecodeError;
use crate::queen_message::{
    Assign, Cancel, Confirmed, HeartbeatAck, LogRequest, MemberAddress, QueenMessage, Recall, Refused, Welcome, Work,
};
use crate::wire::values::{
    AttemptV1, CancelReasonV1, CostClassV1, EffectClassV1, RangeV1, freeze_all, json, range_length, thaw_all,
    thaw_range,
};

#[derive(Serialize, Deserialize)]
pub(crate) enum QueenMessageV1 {
    Welcome(WelcomeV1),
    HeartbeatAck { epoch: Option<u64>, incarnation: Option<u64>, sequence: u64, lease_ms: Option<u64> },
    Assign(AssignV1),
    Cancel { epoch: u64, incarnation: u64, attempt: AttemptV1, reason: CancelReasonV1 },
    Confirmed { epoch: u64, attempts: Vec<AttemptV1> },
    LogRequest { request: u64, attempt: AttemptV1 },
    Refused { reason: Arc<str>, retry: bool },
    Recall { epoch: u64, incarnation: u64, attempts: Vec<AttemptV1> },
}

#[derive(Serialize, Deserialize)]
pub(crate) struct WelcomeV1 {
    member: u64,
    epoch: Option<u64>,
    leading: bool,
    leader: Option<u64>,
    members: Vec<(u64, Arc<str>)>,
    incarnation: Option<u64>,
    lease_ms: Option<u64>,
    heartbeat_ms: u64,
}

/// Assignments of a range that differ in nothing else.
#[derive(Serialize, Deserialize)]
pub(crate) struct AssignV1 {
    epoch: u64,
    incarnation: u64,
    attempts: RangeV1,
    graph_id: Name,
    node_id: Name,
    array: bool,
    tool: Name,
    effects: EffectClassV1,
    class: CostClassV1,
    args: Arc<str>,
    attempt_number: u32,
    timeout_ms: u64,
    deadline_ms: Option<u64>,
}

impl QueenMessageV1 {
    /// The form of the first messages: of as many as make one range, and how many those are.
    pub(crate) fn of_first(messages: &[QueenMessage]) -> (Self, usize) {
        let follows = |one: &QueenMessage, next: &QueenMessage| match (one, next) {
            (QueenMessage::Assign(one), QueenMessage::Assign(next)) => one.is_followed_by(next),
            (_, _) => false,
        };
        let mut frozen = Self::from(&messages[0]);
        let count = range_length(messages, follows);
        if let Self::Assign(AssignV1 { attempts, .. }) = &mut frozen {
            attempts.1 = count;
        }
        (frozen, count as usize)
    }

    /// Adds the messages that it is of, at most `room`.
    pub(crate) fn thaw(self, room: usize, messages: &mut Vec<QueenMessage>) -> Result<(), DecodeError> {
        let message = match self {
            Self::Assign(assign) => {
                messages.extend(assign.thaw(room)?.map(QueenMessage::Assign));
                return Ok(());
            }
            Self::Welcome(welcome) => Welcome::from(welcome).into(),
            Self::HeartbeatAck { epoch, incarnation, sequence, lease_ms } => {
                let (epoch, incarnation) = (epoch.map(Epoch), incarnation.map(Incarnation));
                HeartbeatAck { epoch, incarnation, sequence, lease_ms }.into()
            }
            Self::Cancel { epoch, incarnation, attempt, reason } => {
                let (epoch, incarnation) = (Epoch(epoch), Incarnation(incarnation));
                Cancel { epoch, incarnation, attempt: attempt.into(), reason: reason.into() }.into()
            }
            Self::Confirmed { epoch, attempts } => {
                Confirmed { epoch: Epoch(epoch), attempts: thaw_all(attempts) }.into()
            }
            Self::LogRequest { request, attempt } => LogRequest { request, attempt: attempt.into() }.into(),
            Self::Refused { reason, retry } => Refused { reason, retry }.into(),
            Self::Recall { epoch, incarnation, attempts } => {
                let (epoch, incarnation) = (Epoch(epoch), Incarnation(incarnation));
                Recall { epoch, incarnation, attempts: thaw_all(attempts) }.into()
            }
        };
        messages.push(message);
        Ok(())
    }
}

impl From<&QueenMessage> for QueenMessageV1 {
    fn from(message: &QueenMessage) -> Self {
        match message {
            QueenMessage::Welcome(welcome) => Self::Welcome(welcome.into()),
            QueenMessage::HeartbeatAck(ack) => Self::HeartbeatAck {
                epoch: ack.epoch.map(|epoch| epoch.0),
                incarnation: ack.incarnation.map(|incarnation| incarnation.0),
                sequence: ack.sequence,
                lease_ms: ack.lease_ms,
            },
            QueenMessage::Assign(assign) => Self::Assign(assign.into()),
            QueenMessage::Cancel(cancel) => Self::Cancel {
                epoch: cancel.epoch.0,
                incarnation: cancel.incarnation.0,
                attempt: cancel.attempt.into(),
                reason: cancel.reason.into(),
            },
            QueenMessage::Confirmed(confirmed) => {
                Self::Confirmed { epoch: confirmed.epoch.0, attempts: freeze_all(&confirmed.attempts) }
            }
            QueenMessage::LogRequest(request) => {
                Self::LogRequest { request: request.request, attempt: request.attempt.into() }
            }
            QueenMessage::Refused(refused) => Self::Refused { reason: refused.reason.clone(), retry: refused.retry },
            QueenMessage::Recall(recall) => Self::Recall {
                epoch: recall.epoch.0,
                incarnation: recall.incarnation.0,
                attempts: freeze_all(&recall.attempts),
            },
        }
    }
}

impl From<&Welcome> for WelcomeV1 {
    fn from(welcome: &Welcome) -> Self {
        Self {
            member: welcome.member.0,
            epoch: welcome.epoch.map(|epoch| epoch.0),
            leading: welcome.leading,
            leader: welcome.leader.map(|id| id.0),
            members: welcome.members.iter().map(|member| (member.id.0, member.http.clone())).collect(),
            incarnation: welcome.incarnation.map(|incarnation| incarnation.0),
            lease_ms: welcome.lease_ms,
            heartbeat_ms: welcome.heartbeat_ms,
        }
    }
}

impl From<WelcomeV1> for Welcome {
    fn from(wire: WelcomeV1) -> Self {
        let members = wire.members.into_iter();
        Self {
            member: MemberId(wire.member),
            epoch: wire.epoch.map(Epoch),
            leading: wire.leading,
            leader: wire.leader.map(MemberId),
            members: members.map(|(id, http)| MemberAddress { id: MemberId(id), http }).collect(),
            incarnation: wire.incarnation.map(Incarnation),
            lease_ms: wire.lease_ms,
            heartbeat_ms: wire.heartbeat_ms,
        }
    }
}

impl From<&Assign> for AssignV1 {
    fn from(assign: &Assign) -> Self {
        let Assign { epoch, incarnation, attempt, attempt_number, deadline_ms, work } = assign;
        Self {
            epoch: epoch.0,
            incarnation: incarnation.0,
            attempts: ((*attempt).into(), 1),
            graph_id: work.graph_id.clone(),
            node_id: work.node_id.clone(),
            array: work.array,
            tool: work.tool.clone(),
            effects: work.effects.into(),
            class: work.class.into(),
            args: work.args.clone().into_text(),
            attempt_number: *attempt_number,
            timeout_ms: work.timeout_ms,
            deadline_ms: *deadline_ms,
        }
    }
}

impl AssignV1 {
    fn thaw(self, room: usize) -> Result<impl Iterator<Item = Assign>, DecodeError> {
        let work = Arc::new(Work {
            graph_id: self.graph_id,
            node_id: self.node_id,
            array: self.array,
            tool: self.tool,
            effects: self.effects.into(),
            class: self.class.into(),
            args: json(self.args)?,
            timeout_ms: self.timeout_ms,
        });
        let (epoch, incarnation) = (Epoch(self.epoch), Incarnation(self.incarnation));
        let (attempt_number, deadline_ms) = (self.attempt_number, self.deadline_ms);
        let attempts = thaw_range(self.attempts, room)?;
        Ok(attempts.map(move |attempt| {
            let work = Arc::clone(&work);
            Assign { epoch, incarnation, attempt, attempt_number, deadline_ms, work }
        }))
    }
}
