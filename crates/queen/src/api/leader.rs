//! Who answers: this queen if it leads, else the leader, wherever the request came in.

use std::time::Duration;

use antfarm_model::MemberId;
use antfarm_planted::{Bug, planted};
use antfarm_replication::Leadership;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use tokio::time::{Instant, timeout, timeout_at};

use super::Api;
use super::forward::{FORWARDED, Lost};
use super::problem::{Kind, NOT_LEADING, Problem};

/// How long a leader is looked for: many elections long, and short enough that a client that then tries the others for
/// 2 s more has its answer within 4 s.
const FIND_WITHIN: Duration = Duration::from_millis(1_200);

/// How long to wait before looking again, unless something changes earlier: a quarter of the time for which a leader has been
/// looked for, within these bounds. A new leader needs some milliseconds to open its office.
const LOOK_AGAIN: Duration = Duration::from_millis(3);
const LOOK_AGAIN_MOST: Duration = Duration::from_millis(50);

/// What must be certain before a leader answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Certainty {
    /// Everything that was committed before is applied: for what looks at the state.
    Current,
    /// A quorum answered not long ago: for what is only proposed.
    Quorum,
}

/// How a route is to be answered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Care {
    pub(super) certainty: Certainty,
    /// The longest body, in bytes.
    pub(super) body_bytes: u64,
}

/// Answers here if this queen leads, or as it is here if that was asked for; else has the leader answer.
pub(super) async fn at_leader(State((api, care)): State<(Api, Care)>, request: Request, next: Next) -> Response {
    if asks_for_stale(&request) {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    match api.read_body(&parts.headers, body, care.body_bytes).await {
        Ok(held) => api.have_answered(&parts, &held.bytes, care.certainty, &next).await,
        Err(problem) => problem.into_response(),
    }
}

/// Only what reads may read here.
fn asks_for_stale(request: &Request) -> bool {
    let query = request.uri().query().unwrap_or_default();
    request.method() == Method::GET && query.split('&').any(|part| part == "consistency=stale")
}

impl Api {
    async fn have_answered(&self, parts: &Parts, body: &Bytes, certainty: Certainty, next: &Next) -> Response {
        let is_forwarded = parts.headers.contains_key(FORWARDED);
        let mut leadership = self.shared.replica.leadership();
        let began = Instant::now();
        let deadline = began + FIND_WITHIN;
        let mut was_sent = false;
        let mut was_silent = None;
        loop {
            let now = *leadership.borrow_and_update();
            match now {
                Leadership::Leading { .. } => {
                    if self.is_certain(certainty, deadline).await {
                        let response = next.clone().run(rebuilt(parts, body)).await;
                        if is_forwarded || !response.headers().contains_key(NOT_LEADING) {
                            return response;
                        }
                    }
                }
                Leadership::Following { leader: Some(leader) } if !is_forwarded => {
                    // A leader that was silent once is asked for a sign of life first.
                    if was_silent != Some(leader) || self.is_alive(leader).await {
                        match self.forward(leader, rebuilt(parts, body)).await {
                            Ok(response) => return response,
                            Err(Lost { may_have_arrived }) => was_sent |= may_have_arrived,
                        }
                        was_silent = Some(leader);
                    }
                }
                Leadership::Following { leader: None | Some(_) } => {}
            }
            if is_forwarded {
                return Problem::no_leader().into_response();
            }
            if Instant::now() >= deadline {
                return no_quorum(was_sent && parts.method != Method::GET).into_response();
            }
            let pause = (began.elapsed() / 4).clamp(LOOK_AGAIN, LOOK_AGAIN_MOST);
            let _ = timeout(pause, leadership.changed()).await; // either way, look again
        }
    }

    async fn is_certain(&self, certainty: Certainty, deadline: Instant) -> bool {
        if planted(Bug::LocalReads) {
            return true;
        }
        let acked = self.shared.replica.quorum_acked();
        let fresh = self.shared.config.raft.election_timeout_max.to_std();
        if certainty == Certainty::Quorum && acked.is_some_and(|ago| ago < fresh) {
            return true;
        }
        matches!(timeout_at(deadline, self.shared.replica.read_index()).await, Ok(Ok(_)))
    }

    /// Where a member takes requests.
    pub(super) fn http_address(&self, member: MemberId) -> Option<String> {
        let members = self.shared.replica.status().members;
        members.get(&member).map(|status| status.member.http.clone())
    }
}

fn rebuilt(parts: &Parts, body: &Bytes) -> Request {
    Request::from_parts(parts.clone(), Body::from(body.clone()))
}

fn no_quorum(was_sent: bool) -> Problem {
    let meaning = if was_sent {
        "it was sent to a leader that did not answer, so it may or may not take effect"
    } else {
        "nothing has happened"
    };
    let within = FIND_WITHIN.as_millis();
    Problem::new(
        Kind::NoQuorum,
        format!(
            "no leader with a majority of the queens was found within {within} ms, and {meaning}: check that a majority \
             runs and is reachable, then try again; a retry is safe"
        ),
    )
}
