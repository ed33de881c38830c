//! What a queen says to a forager.

mod assign;

use std::sync::Arc;

use antfarm_model::{Epoch, Incarnation, MemberId};
use serde::{Deserialize, Serialize};

use crate::attempt::AttemptRef;
use crate::bounds::{LARGEST_TEXT_BYTES, MAX_ATTEMPTS, MAX_NAMES};
use crate::error::Bounded;

pub use assign::{Assign, Work};

/// What a queen says. What has an epoch comes from a leader; nothing else changes what a forager runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type")]
pub enum QueenMessage {
    /// Whether the queen leads, and what follows from it.
    #[serde(rename = "queen.welcome")]
    Welcome(Welcome),
    /// A heartbeat was heard.
    #[serde(rename = "queen.heartbeat_ack")]
    HeartbeatAck(HeartbeatAck),
    /// Run an attempt.
    #[serde(rename = "task.assign")]
    Assign(Assign),
    /// End an attempt.
    #[serde(rename = "task.cancel")]
    Cancel(Cancel),
    /// Forget ended attempts.
    #[serde(rename = "task.confirmed")]
    Confirmed(Confirmed),
    /// Send what an attempt wrote to its standard error.
    #[serde(rename = "task.log_request")]
    LogRequest(LogRequest),
    /// The queen will not talk to this forager.
    #[serde(rename = "queen.refused")]
    Refused(Refused),
    /// Hand back what has not begun.
    #[serde(rename = "task.recall")]
    Recall(Recall),
}

/// Whether the queen leads, and who does. The answer to a hello, and sent unasked when that changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    /// Which member this queen is, so that a forager notices two addresses of one queen.
    pub member: MemberId,
    /// The leader's epoch; none from a queen that stands by.
    #[serde(default)]
    pub epoch: Option<Epoch>,
    /// Whether this queen leads.
    pub leading: bool,
    /// Who leads, as far as this queen knows.
    #[serde(default)]
    pub leader: Option<MemberId>,
    /// The members of the cluster; a forager keeps a session with each.
    #[serde(default)]
    pub members: Vec<MemberAddress>,
    /// The forager's incarnation; only from a leader that has registered it, and work may follow.
    #[serde(default)]
    pub incarnation: Option<Incarnation>,
    /// The right to run guarded attempts for this long, counted from when the oldest hello of the session was sent that no
    /// welcome with an incarnation has answered.
    #[serde(default)]
    pub lease_ms: Option<u64>,
    /// How often a heartbeat is expected.
    pub heartbeat_ms: u64,
}

/// Where a member's HTTP interface is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberAddress {
    /// The member.
    pub id: MemberId,
    /// Its address, `host:port`.
    pub http: Arc<str>,
}

/// A heartbeat was heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeartbeatAck {
    /// The leader's epoch; none from a queen that stands by.
    #[serde(default)]
    pub epoch: Option<Epoch>,
    /// The incarnation that has the lease; none without one.
    #[serde(default)]
    pub incarnation: Option<Incarnation>,
    /// Which heartbeat of this session.
    pub sequence: u64,
    /// The right to run guarded attempts for this long, counted from when that heartbeat was sent. Only from a leader.
    #[serde(default)]
    pub lease_ms: Option<u64>,
}

/// End an attempt, and do not start it if it has not begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cancel {
    /// The leader's epoch.
    pub epoch: Epoch,
    /// To which incarnation; any other ignores it.
    pub incarnation: Incarnation,
    /// Which attempt.
    pub attempt: AttemptRef,
    /// Why.
    pub reason: CancelReason,
}

/// Why an attempt is cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CancelReason {
    /// Its graph was cancelled or failed.
    GraphStopped,
    /// Its deadline passed.
    Deadline,
    /// It ran too long.
    Timeout,
    /// Another attempt at the same instance won.
    Superseded,
    /// The leader does not know it.
    Unknown,
}

/// The ends of these attempts (results, cancellations, rejects and returns alike) are committed, or discarded because
/// nobody knows them: forget them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confirmed {
    /// The leader's epoch.
    pub epoch: Epoch,
    /// Which.
    pub attempts: Vec<AttemptRef>,
}

/// Hand these attempts back as far as they have not begun: somebody else could begin them now. What has begun goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recall {
    /// The leader's epoch.
    pub epoch: Epoch,
    /// To which incarnation; any other ignores it.
    pub incarnation: Incarnation,
    /// Which.
    pub attempts: Vec<AttemptRef>,
}

/// Send what an attempt wrote to its standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogRequest {
    /// A number that the answer repeats.
    pub request: u64,
    /// Which attempt.
    pub attempt: AttemptRef,
}

/// The queen will not talk to this forager, and closes the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// Why, for people.
    pub reason: Arc<str>,
    /// Whether the same hello may be taken later.
    pub retry: bool,
}

impl QueenMessage {
    /// The type, as it stands in JSON.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Welcome(_) => "queen.welcome",
            Self::HeartbeatAck(_) => "queen.heartbeat_ack",
            Self::Assign(_) => "task.assign",
            Self::Cancel(_) => "task.cancel",
            Self::Confirmed(_) => "task.confirmed",
            Self::LogRequest(_) => "task.log_request",
            Self::Refused(_) => "queen.refused",
            Self::Recall(_) => "task.recall",
        }
    }

    /// The epoch, if a leader sent it.
    pub const fn epoch(&self) -> Option<Epoch> {
        match self {
            Self::Welcome(Welcome { epoch, .. }) | Self::HeartbeatAck(HeartbeatAck { epoch, .. }) => *epoch,
            Self::Assign(Assign { epoch, .. })
            | Self::Cancel(Cancel { epoch, .. })
            | Self::Confirmed(Confirmed { epoch, .. })
            | Self::Recall(Recall { epoch, .. }) => Some(*epoch),
            Self::LogRequest(_) | Self::Refused(_) => None,
        }
    }

    /// The incarnation that it is addressed to, if it means something to one only. What ended has ended whoever hears of
    /// it, so a confirmation is addressed to nobody; a welcome makes an incarnation known.
    pub const fn addressee(&self) -> Option<Incarnation> {
        match self {
            Self::HeartbeatAck(HeartbeatAck { incarnation, .. }) => *incarnation,
            Self::Assign(Assign { incarnation, .. })
            | Self::Cancel(Cancel { incarnation, .. })
            | Self::Recall(Recall { incarnation, .. }) => Some(*incarnation),
            Self::Welcome(_) | Self::Confirmed(_) | Self::LogRequest(_) | Self::Refused(_) => None,
        }
    }

    pub(crate) fn check(&self) -> Result<(), Bounded> {
        match self {
            Self::Welcome(welcome) => {
                Bounded::check("members of a welcome", welcome.members.len(), MAX_NAMES)?;
                welcome
                    .members
                    .iter()
                    .try_for_each(|member| Bounded::check("bytes of an address", member.http.len(), LARGEST_TEXT_BYTES))
            }
            Self::Confirmed(Confirmed { attempts, .. }) | Self::Recall(Recall { attempts, .. }) => {
                Bounded::check("attempts", attempts.len(), MAX_ATTEMPTS)
            }
            Self::Refused(refused) => Bounded::check("bytes of a reason", refused.reason.len(), LARGEST_TEXT_BYTES),
            Self::HeartbeatAck(_) | Self::Assign(_) | Self::Cancel(_) | Self::LogRequest(_) => Ok(()),
        }
    }
}

macro_rules! from_body {
    ($($body:ident),*) => {$(
        impl From<$body> for QueenMessage {
            fn from(body: $body) -> Self {
                Self::$body(body)
            }
        }
    )*};
}

from_body!(Welcome, HeartbeatAck, Assign, Cancel, Confirmed, LogRequest, Refused, Recall);
