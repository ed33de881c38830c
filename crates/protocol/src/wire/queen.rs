//! The frozen forms of what a queen says.

use std::sync::Arc;

use antfarm_model::{Epoch, Incarnation, MemberId, Name};
use serde::{Deserialize, Serialize};

use crate::error::DecodeError;
use crate::queen_message::{
    Assign, Cancel, Confirmed, HeartbeatAck, LogRequest, MemberAddress, QueenMessage, Recall, Refused, Welcome,
};
use crate::wire::values::{AttemptV1, CancelReasonV1, CostClassV1, EffectClassV1, freeze_all, json, thaw_all};

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

#[derive(Serialize, Deserialize)]
pub(crate) struct AssignV1 {
    epoch: u64,
    incarnation: u64,
    attempt: AttemptV1,
    graph_id: Name,
    node_id: Name,
    array: bool,
    tool: Name,
    effects: EffectClassV1,
    class: CostClassV1,
    args: Arc<str>,
    attempt_number: u32,
    idempotency_key: Arc<str>,
    timeout_ms: u64,
    deadline_ms: Option<u64>,
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

impl TryFrom<QueenMessageV1> for QueenMessage {
    type Error = DecodeError;

    fn try_from(wire: QueenMessageV1) -> Result<Self, DecodeError> {
        Ok(match wire {
            QueenMessageV1::Welcome(welcome) => Welcome::from(welcome).into(),
            QueenMessageV1::HeartbeatAck { epoch, incarnation, sequence, lease_ms } => {
                let (epoch, incarnation) = (epoch.map(Epoch), incarnation.map(Incarnation));
                HeartbeatAck { epoch, incarnation, sequence, lease_ms }.into()
            }
            QueenMessageV1::Assign(assign) => Assign::try_from(assign)?.into(),
            QueenMessageV1::Cancel { epoch, incarnation, attempt, reason } => {
                let (epoch, incarnation) = (Epoch(epoch), Incarnation(incarnation));
                Cancel { epoch, incarnation, attempt: attempt.into(), reason: reason.into() }.into()
            }
            QueenMessageV1::Confirmed { epoch, attempts } => {
                Confirmed { epoch: Epoch(epoch), attempts: thaw_all(attempts) }.into()
            }
            QueenMessageV1::LogRequest { request, attempt } => LogRequest { request, attempt: attempt.into() }.into(),
            QueenMessageV1::Refused { reason, retry } => Refused { reason, retry }.into(),
            QueenMessageV1::Recall { epoch, incarnation, attempts } => {
                let (epoch, incarnation) = (Epoch(epoch), Incarnation(incarnation));
                Recall { epoch, incarnation, attempts: thaw_all(attempts) }.into()
            }
        })
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
        Self {
            epoch: assign.epoch.0,
            incarnation: assign.incarnation.0,
            attempt: assign.attempt.into(),
            graph_id: assign.graph_id.clone(),
            node_id: assign.node_id.clone(),
            array: assign.array,
            tool: assign.tool.clone(),
            effects: assign.effects.into(),
            class: assign.class.into(),
            args: assign.args.clone().into_text(),
            attempt_number: assign.attempt_number,
            idempotency_key: assign.idempotency_key.clone(),
            timeout_ms: assign.timeout_ms,
            deadline_ms: assign.deadline_ms,
        }
    }
}

impl TryFrom<AssignV1> for Assign {
    type Error = DecodeError;

    fn try_from(wire: AssignV1) -> Result<Self, DecodeError> {
        Ok(Self {
            epoch: Epoch(wire.epoch),
            incarnation: Incarnation(wire.incarnation),
            attempt: wire.attempt.into(),
            graph_id: wire.graph_id,
            node_id: wire.node_id,
            array: wire.array,
            tool: wire.tool,
            effects: wire.effects.into(),
            class: wire.class.into(),
            args: json(wire.args)?,
            attempt_number: wire.attempt_number,
            idempotency_key: wire.idempotency_key,
            timeout_ms: wire.timeout_ms,
            deadline_ms: wire.deadline_ms,
        })
    }
}
