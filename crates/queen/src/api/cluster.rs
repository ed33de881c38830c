//! The cluster: its members, its leader, how far it is.

use antfarm_model::MemberId;
use antfarm_replication::TransferError;
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::Api;
use super::ask::{Asked, Consistency, Plain, json};
use super::foragers::ByClass;
use super::peers::MemberView;
use super::problem::{Kind, Problem};
use crate::shared::QUORUM_SILENT;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scope {
    #[serde(default)]
    scope: Extent,
    #[serde(default, rename = "consistency")]
    _consistency: Consistency,
}

#[derive(Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Extent {
    #[default]
    Cluster,
    /// Only what the asked queen says of itself.
    Member,
}

#[derive(Serialize)]
struct ClusterView {
    cluster_id: String,
    leader: Option<u64>,
    term: u64,
    members: Vec<MemberView>,
    commit_index: u64,
    applied_index: u64,
    /// Of the state at `applied_index`.
    state_digest: String,
    ready: ByClass<u64>,
    open_attempts: usize,
}

/// Answered by the queen that is asked, so that replicas can be compared.
pub(super) async fn show(State(api): State<Api>, Asked(query): Asked<Scope>) -> Response {
    let status = api.shared.replica.status();
    if query.scope == Extent::Member {
        return Json(api.own_view(&status)).into_response();
    }
    let (members, (applied, state_digest)) = tokio::join!(api.member_views(&status), api.digest.of(&api.shared));
    let (ready, open_attempts) =
        api.shared.replica.read(|state| (ByClass::new(|class| state.ready_count(class)), state.open_count()));
    let lost_quorum = api.shared.replica.quorum_acked().is_some_and(|ago| ago > QUORUM_SILENT);
    let leader = status.leader.filter(|leader| {
        let reachable = status.members.keys().zip(&members).any(|(id, member)| id == leader && member.reachable);
        reachable && (*leader != status.member || !lost_quorum)
    });
    let view = ClusterView {
        cluster_id: api.shared.config.cluster_id.to_string(),
        leader: leader.map(|leader| leader.0),
        term: status.term,
        members,
        commit_index: status.commit_index.0.max(applied.0),
        applied_index: applied.0,
        state_digest,
        ready,
        open_attempts,
    };
    Json(view).into_response()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Transfer {
    /// To whom; if nobody is named, to the voter with the longest log.
    to: Option<MemberId>,
    /// From whom. If that member does not lead any more, it has been done.
    #[serde(default)]
    from: Option<MemberId>,
}

#[derive(Serialize)]
pub(super) struct Transferred {
    leader: u64,
}

/// Hands leadership over. Answered by the leader.
pub(super) async fn transfer(
    State(api): State<Api>,
    _: Asked<Plain>,
    body: Bytes,
) -> Result<Json<Transferred>, Problem> {
    let Transfer { to, from } = json(&body)?;
    let own = api.shared.config.id;
    // A request is sent again when its answer is lost, as it is when the leader that gives it is deposed by it.
    let is_done = to.map_or(from.is_some_and(|from| from != own), |to| to == own);
    if is_done {
        return Ok(Json(Transferred { leader: own.0 }));
    }
    match api.shared.replica.transfer(to).await {
        Ok(leader) => Ok(Json(Transferred { leader: leader.0 })),
        Err(TransferError::NotLeader { .. }) => Err(Problem::no_leader()),
        Err(error @ TransferError::NoSuchVoter) => Err(Problem::conflict(error.to_string())),
        Err(error @ (TransferError::NotTaken(_) | TransferError::Stopped)) => {
            Err(Problem::new(Kind::NotReady, format!("{error}: look at the cluster, then try again")))
        }
    }
}
