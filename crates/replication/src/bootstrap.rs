//! How a cluster begins: it is initialised only when all its initial members say that they are empty.
//!
//! The initial member with the lowest id asks all others. Everybody who is empty asks, too: a member that lost its disk
//! learns in the handshake that the others knew it with another one, and stops.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use antfarm_env::Env;
use antfarm_model::MemberId;

use crate::error::Failure;
use crate::member::Member;
use crate::transport::{Peers, Purpose, Refusals, Request, Response, StatusV1};

const ASK_WITHIN: Duration = Duration::from_millis(500);

/// How long to wait before asking again.
const ASK_EVERY: Duration = Duration::from_millis(100);

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

impl Bootstrap {
    /// Ends when the replica has a configuration, or must not get one.
    pub(crate) async fn run(self, replica: &impl Initialise) -> Result<(), Failure> {
        while replica.is_initialised().await == Some(false) {
            let answers = self.ask_all().await;
            if let Some((member, refusal)) = self.refusals.borrow().clone() {
                return Err(Failure::Refused { member, reason: refusal.to_string() });
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
