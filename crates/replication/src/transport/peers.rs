//! The connections to all peers: one lane per member and purpose, opened when it is first used.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use antfarm_env::{Env, Net};
use antfarm_model::MemberId;
use antfarm_planted::{Bug, planted};
use tokio::sync::watch;

use crate::identity::{Identity, PeerDisks};
use crate::membership::Removed;
use crate::status::QueueLength;
use crate::tasks::Tasks;
use crate::transport::heard::Heard;
use crate::transport::hello::Refusal;
use crate::transport::lane::{self, Lane};
use crate::transport::links::Links;
use crate::transport::wire::{Purpose, Request, Response};

/// What every connection needs.
pub(crate) struct Context {
    pub(crate) env: Env,
    pub(crate) net: Net,
    pub(crate) identity: Identity,
    pub(crate) disks: PeerDisks,
    pub(crate) removed: Removed,
    pub(crate) frame_bytes: usize,
    pub(crate) tasks: Tasks,
    pub(crate) refusals: Refusals,
    pub(crate) heard: Heard,
    pub(crate) links: Links,
}

/// The last member that refused this one for good, and why.
pub(crate) type Refusals = watch::Sender<Option<(MemberId, Refusal)>>;

/// Why a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CallError {
    #[error("member {member} at {address} cannot be reached: {reason}")]
    Unreachable { member: MemberId, address: String, reason: String },
    #[error("the connection to the peer broke")]
    Broken,
    #[error("the peer did not answer in time")]
    Timeout,
    #[error("the peer could not do what it was asked")]
    Failed,
}

/// The peers of a replica.
pub(crate) struct Peers {
    context: Arc<Context>,
    lanes: Mutex<BTreeMap<(MemberId, Purpose), Lane>>,
}

impl Peers {
    pub(crate) fn new(context: Arc<Context>) -> Self {
        Self { context, lanes: Mutex::default() }
    }

    /// Sends a request, and waits at most `within` for the answer.
    pub(crate) async fn call(
        &self,
        member: MemberId,
        address: &str,
        purpose: Purpose,
        request: &Request,
        within: Duration,
    ) -> Result<Response, CallError> {
        let lane = self.lane(member, address, purpose);
        let within = if planted(Bug::NoDeadline) { Duration::MAX } else { within };
        match tokio::time::timeout(within, lane.call(request)).await {
            Ok(Ok(Response::Failed)) => Err(CallError::Failed),
            Ok(answer) => answer,
            Err(_) => Err(CallError::Timeout),
        }
    }

    /// The longest queue of calls to a peer.
    pub(crate) fn longest_queue(&self) -> QueueLength {
        let lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        let length = lanes.values().map(Lane::queued).max().unwrap_or(0);
        QueueLength { name: "calls to a peer", length, limit: lane::QUEUED }
    }

    fn lane(&self, member: MemberId, address: &str, purpose: Purpose) -> Lane {
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lane) = lanes.get(&(member, purpose))
            && lane.address() == address
        {
            return lane.clone();
        }
        // A lane to a former address ends with its last user.
        let lane = Lane::open(self.context.clone(), member, address, purpose);
        lanes.insert((member, purpose), lane.clone());
        lane
    }
}
