//! Members that come and go: added as learners, promoted to voters, removed for ever.

use antfarm_model::MemberId;
use antfarm_replication::{Change, ChangeError, Changed, Member};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::Api;
use super::ask::{Asked, Consistency, Plain, json};
use super::problem::{Kind, Problem};

/// A member to add, or a learner that is to vote.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    id: u64,
    /// Where clients and foragers reach it; a learner that is there already need not say it again.
    http: Option<String>,
    /// Where its peers reach it.
    raft: Option<String>,
    #[serde(default)]
    voter: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Removal {
    /// Also if no quorum of the others can be reached.
    #[serde(default)]
    force: bool,
    #[serde(default, rename = "consistency")]
    _consistency: Consistency,
}

/// A member as it is after the change.
#[derive(Serialize)]
struct MemberDocument {
    id: u64,
    voter: bool,
    http: String,
    raft: String,
}

/// Adds a learner, or makes one a voter.
pub(super) async fn put(State(api): State<Api>, _: Asked<Plain>, body: Bytes) -> Result<Response, Problem> {
    let Wanted { id, http, raft, voter } = json(&body)?;
    let id = some_id(id)?;
    let addresses = match (http, raft) {
        (Some(http), Some(raft)) => Some(Member { http: address("http", http)?, raft: address("raft", raft)? }),
        (None, None) if voter => None,
        _ => return Err(Problem::bad_request("http and raft belong together: name both addresses (host:port)")),
    };
    if voter {
        api.expect_at(id, addresses.as_ref())?;
        let changed = api.change(Change::Promote { id }).await?;
        return Ok(api.answer(id, changed));
    }
    let Some(member) = addresses else {
        return Err(Problem::bad_request("http and raft are missing: where the queen is reached (host:port)"));
    };
    let changed = api.change(Change::Add { id, member }).await?;
    Ok(api.answer(id, changed))
}

/// Removes a member.
pub(super) async fn delete(
    State(api): State<Api>,
    Path(id): Path<String>,
    Asked(removal): Asked<Removal>,
) -> Result<StatusCode, Problem> {
    let id = id.parse().map_err(|_| Problem::not_found(format!("there is no member {id:?}: ids are numbers")))?;
    api.change(Change::Remove { id: some_id(id)?, forced: removal.force }).await?;
    Ok(StatusCode::NO_CONTENT)
}

impl Api {
    async fn change(&self, change: Change) -> Result<Changed, Problem> {
        Ok(self.shared.replica.change_membership(&change).await?)
    }

    /// Whoever says where a learner is must be right.
    fn expect_at(&self, id: MemberId, addresses: Option<&Member>) -> Result<(), Problem> {
        let members = self.shared.replica.status().members;
        match (members.get(&id), addresses) {
            (Some(known), Some(said)) if known.member != *said => {
                Err(ChangeError::IdTaken { id, member: known.member.clone() }.into())
            }
            (Some(_) | None, Some(_) | None) => Ok(()),
        }
    }

    fn answer(&self, id: MemberId, changed: Changed) -> Response {
        let members = self.shared.replica.status().members;
        let document = members.get(&id).map(|status| MemberDocument {
            id: id.0,
            voter: status.voter,
            http: status.member.http.clone(),
            raft: status.member.raft.clone(),
        });
        let status = if changed.new { StatusCode::CREATED } else { StatusCode::OK };
        (status, Json(document)).into_response()
    }
}

fn some_id(id: u64) -> Result<MemberId, Problem> {
    if id == 0 { Err(Problem::bad_request("member ids begin at 1")) } else { Ok(MemberId(id)) }
}

fn address(key: &str, text: String) -> Result<String, Problem> {
    let port =
        text.rsplit_once(':').filter(|(host, _)| !host.is_empty()).and_then(|(_, port)| port.parse::<u16>().ok());
    match port {
        Some(1..) => Ok(text),
        Some(0) | None => {
            Err(Problem::bad_request(format!("{key} is {text:?}, and must be host:port, such as 10.0.0.4:7101")))
        }
    }
}

impl From<ChangeError> for Problem {
    fn from(error: ChangeError) -> Self {
        let detail = error.to_string();
        match error {
            ChangeError::NotLeader { .. } => Self::no_leader(),
            ChangeError::UnderWay => Self::new(Kind::ChangeUnderWay, detail),
            ChangeError::IdTaken { .. }
            | ChangeError::WasRemoved(_)
            | ChangeError::AddressTaken { .. }
            | ChangeError::TooMany(_) => Self::conflict(detail),
            ChangeError::Unknown(_) => Self::not_found(detail),
            ChangeError::NotCaughtUp { .. } | ChangeError::NotReachable(_) => Self::new(Kind::NotCaughtUp, detail),
            ChangeError::NoQuorumLeft { .. } | ChangeError::LastVoter(_) => Self::new(Kind::QuorumAtRisk, detail),
            ChangeError::NotHandedOver(_) | ChangeError::Stopped => Self::new(Kind::NotReady, detail),
            ChangeError::OutcomeUnknown => Self::new(Kind::OutcomeUnknown, detail),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_host_and_a_port() {
        for good in ["10.0.0.4:7101", "queen-4.example.org:1", "[::1]:7101"] {
            assert_eq!(address("http", good.to_owned()), Ok(good.to_owned()));
        }
        for bad in ["", "10.0.0.4", ":7101", "10.0.0.4:0", "10.0.0.4:70000", "10.0.0.4:x"] {
            assert!(address("http", bad.to_owned()).is_err(), "{bad}");
        }
    }
}
