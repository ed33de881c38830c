//! How a replica that is empty becomes a member.
//!
//! A cluster is initialised only when all its initial members say that they are empty.
//! The initial member with the lowest id asks all others. Everybody who is empty asks, too: a member that lost its disk
//! learns in the handshake that the others knew it with another one, and stops.
//!
//! A replica that joins has no initial members: it initialises nothing, and waits until a leader that was told to add it
//! sends it the log. Meanwhile it knocks at the addresses that it knows, to be told if it has to wait in vain.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use antfarm_env::Env;
use antfarm_model::MemberId;

use crate::error::Failure;
use crate::member::Member;
use crate::transport::{Context, Door, Peers, Purpose, Refusal, Refusals, Request, Response, StatusV1, knock};

const ASK_WITHIN: Duration = Duration::from_millis(500);

/// How long to wait before asking again.
const ASK_EVERY: Duration = Duration::from_millis(100);

/// How long a replica that joins waits before it knocks again.
const KNOCK_EVERY: Duration = Duration::from_millis(500);

/// A replica that may be empty.
pub(crate) trait Initialise: Send + Sync {
    /// Whether it has a configuration or a vote; nothing if it has stopped.
    fn is_initialised(&self) -> impl Future<Output = Option<bool>> + Send;

    /// Makes it the first member of a cluster of these. That another has done so already is no error.
    fn initialise(&self, members: BTreeMap<MemberId, Member>) -> impl Future<Output = ()> + Send;
}

pub(crate) struct Bootstrap {
    pub(crate) env: Env,
    pub(crate) member: MemberId,
    pub(crate) initial_members: BTreeMap<MemberId, Member>,
    pub(crate) peers: Arc<Peers>,
    pub(crate) refusals: Refusals,
}

/// A replica that is to be added to a cluster.
pub(crate) struct Joining {
    pub(crate) context: Arc<Context>,
    /// Where members of the cluster may be.
    pub(crate) addresses: Vec<String>,
}

impl Joining {
    /// Ends when the replica has a configuration, or will not get one.
    pub(crate) async fn run(self, replica: &impl Initialise) -> Result<(), Failure> {
        let mut told = false;
        while replica.is_initialised().await == Some(false) {
            let mut silent = Vec::new();
            for address in &self.addresses {
                match knock(&self.context, address).await {
                    Door::Open => {}
                    Door::Shut(Refusal::Removed(_)) => return Err(Failure::Removed),
                    Door::Shut(refusal) => {
                        return Err(Failure::NotTaken { address: address.clone(), reason: refusal.to_string() });
                    }
                    Door::Nobody(why) => silent.push(format!("{address}: {why}")),
                }
            }
            if silent.len() == self.addresses.len() && !std::mem::replace(&mut told, true) {
                tracing::warn!(?silent, "none of the queens to join answers yet");
            }
            tokio::time::sleep(KNOCK_EVERY + self.context.env.jitter(KNOCK_EVERY)).await;
        }
        Ok(())
    }
}

impl Bootstrap {
    /// Ends when the replica has a configuration, or must not get one.
    pub(crate) async fn run(self, replica: &impl Initialise) -> Result<(), Failure> {
        while replica.is_initialised().await == Some(false) {
            let answers = self.ask_all().await;
            if let Some((member, refusal)) = self.refusals.borrow().clone() {
                let is_removed = refusal == Refusal::Removed(self.member);
                let reason = refusal.to_string();
                return Err(if is_removed { Failure::Removed } else { Failure::Refused { member, reason } });
            }
            if self.is_first() && self.may_begin(&answers) {
                tracing::info!(
                    members = self.initial_members.len(),
                    "all initial members are empty: the cluster begins"
                );
                replica.initialise(self.initial_members.clone()).await;
            }
            tokio::time::sleep(ASK_EVERY + self.env.jitter(ASK_EVERY)).await;
        }
        Ok(())
    }

    fn is_first(&self) -> bool {
        self.initial_members.keys().next() == Some(&self.member)
    }

    async fn ask_all(&self) -> BTreeMap<MemberId, StatusV1> {
        let others = self.initial_members.iter().filter(|(id, _)| **id != self.member);
        let asked = others.map(async |(id, member)| {
            let answer = self.peers.call(*id, &member.raft, Purpose::Control, &Request::Status, ASK_WITHIN).await;
            if let Ok(Response::Status(status)) = answer { Some((*id, status)) } else { None }
        });
        futures_util::future::join_all(asked).await.into_iter().flatten().collect()
    }

    /// Whether all others answered that they are empty and were told of the same members.
    fn may_begin(&self, answers: &BTreeMap<MemberId, StatusV1>) -> bool {
        let ours: Vec<u64> = self.initial_members.keys().map(|id| id.0).collect();
        for (id, status) in answers {
            if status.initial_members != ours {
                tracing::error!(
                    member = %id, theirs = ?status.initial_members, ?ours,
                    "a member was told of other initial members: the cluster cannot begin before all agree"
                );
                return false;
            }
        }
        answers.len() + 1 == ours.len() && answers.values().all(|status| !status.initialised)
    }
}
