//! What the members say of themselves, each asked directly.

use std::time::Duration;

use antfarm_model::MemberId;
use antfarm_replication::{Leadership, MemberStatus, ReplicaStatus};
use futures_util::future::join_all;
use http_body_util::{BodyExt, Limited};
use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use super::Api;

/// How long a member may take to say how it is.
const ANSWER_WITHIN: Duration = Duration::from_millis(300);

/// The longest such answer.
const MAX_ANSWER_BYTES: usize = 16 << 10;

/// Where a member says how it is.
pub(super) const PATH: &str = "/v1/cluster?scope=member";

/// What a member says of itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct OwnView {
    pub(super) id: u64,
    /// Who leads, as far as it knows.
    #[serde(default)]
    pub(super) leader: Option<u64>,
    pub(super) term: u64,
    pub(super) last_log_index: u64,
    pub(super) commit_index: u64,
    pub(super) applied_index: u64,
    /// Its wall clock, in milliseconds since 1970.
    pub(super) wall_ms: u64,
}

/// A member of the cluster. What it did not say itself is null, unless the leader knows it.
#[derive(Debug, Clone, Serialize)]
pub(super) struct MemberView {
    id: u64,
    role: &'static str,
    voter: bool,
    http: String,
    raft: String,
    term: Option<u64>,
    last_log_index: Option<u64>,
    applied_index: Option<u64>,
    pub(super) reachable: bool,
    /// How far its wall clock is ahead of that of the queen that answers.
    clock_skew_ms: Option<i64>,
}

impl Api {
    pub(super) fn own_view(&self, status: &ReplicaStatus) -> OwnView {
        OwnView {
            id: status.member.0,
            leader: status.leader.map(|leader| leader.0),
            term: status.term,
            last_log_index: status.last_index.0,
            commit_index: status.commit_index.0,
            applied_index: status.applied_index.0,
            wall_ms: self.shared.env.wall_ms(),
        }
    }

    /// All members, asked at the same time.
    pub(super) async fn member_views(&self, status: &ReplicaStatus) -> Vec<MemberView> {
        let views = status.members.iter().map(async |(id, member)| {
            let (said, skew) = if *id == status.member {
                (Some(self.own_view(status)), Some(0))
            } else {
                self.asked_member(*id, &member.member.http).await.unzip()
            };
            self.member_view(status, *id, member, said.as_ref(), skew)
        });
        join_all(views).await
    }

    fn member_view(
        &self,
        status: &ReplicaStatus,
        id: MemberId,
        member: &MemberStatus,
        said: Option<&OwnView>,
        clock_skew_ms: Option<i64>,
    ) -> MemberView {
        let leads = if id == status.member {
            matches!(*self.shared.replica.leadership().borrow(), Leadership::Leading { .. })
        } else {
            status.leader == Some(id)
        };
        let role = match (leads, member.voter) {
            (true, _) => "leader",
            (false, true) => "follower",
            (false, false) => "learner",
        };
        MemberView {
            id: id.0,
            role,
            voter: member.voter,
            http: member.member.http.clone(),
            raft: member.member.raft.clone(),
            term: said.map(|said| said.term),
            last_log_index: said.map(|said| said.last_log_index).or(member.matched_index.map(|index| index.0)),
            applied_index: said.map(|said| said.applied_index),
            reachable: said.is_some(),
            clock_skew_ms,
        }
    }

    /// What another member says, and how far its clock was ahead when it was in the middle of saying so.
    async fn asked_member(&self, id: MemberId, address: &str) -> Option<(OwnView, i64)> {
        let began = self.shared.env.wall_ms();
        let answer = self.ask(address, PATH, ANSWER_WITHIN).await?;
        let body = timeout(ANSWER_WITHIN, Limited::new(answer.into_body(), MAX_ANSWER_BYTES).collect()).await.ok()?;
        let said: OwnView = serde_json::from_slice(&body.ok()?.to_bytes()).ok()?;
        let middle = began.midpoint(self.shared.env.wall_ms());
        let skew = i64::try_from(said.wall_ms).ok()? - i64::try_from(middle).ok()?;
        (said.id == id.0).then_some((said, skew))
    }
}
