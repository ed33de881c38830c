//! RFC 9457 problem documents: every answer that is a «no».

use antfarm_model::Fault;
use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// On answers of a queen that was asked as the leader and does not lead: ask another, nothing has happened.
pub(super) const NOT_LEADING: HeaderName = HeaderName::from_static("antfarm-not-leading");

const CONTENT_TYPE: HeaderValue = HeaderValue::from_static("application/problem+json");

/// After how many seconds a refused client should try again.
const RETRY_AFTER: HeaderValue = HeaderValue::from_static("1");

/// Which problem it is: stable, for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    BadRequest,
    NotFound,
    MethodNotAllowed,
    Conflict,
    ChangeUnderWay,
    NotCaughtUp,
    QuorumAtRisk,
    Gone,
    TooLarge,
    Invalid,
    Overloaded,
    NoQuorum,
    NoLeader,
    OutcomeUnknown,
    NotReady,
}

impl Kind {
    const fn parts(self) -> (StatusCode, &'static str, &'static str) {
        match self {
            Self::BadRequest => (StatusCode::BAD_REQUEST, "bad-request", "The request cannot be understood"),
            Self::NotFound => (StatusCode::NOT_FOUND, "not-found", "There is no such thing"),
            Self::MethodNotAllowed => {
                (StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed", "This cannot be done with that")
            }
            Self::Conflict => (StatusCode::CONFLICT, "conflict", "It contradicts what is there"),
            Self::ChangeUnderWay => (StatusCode::CONFLICT, "change-under-way", "Another change is under way"),
            Self::NotCaughtUp => (StatusCode::CONFLICT, "not-caught-up", "The member cannot vote yet"),
            Self::QuorumAtRisk => (StatusCode::CONFLICT, "quorum-at-risk", "The cluster would stand still"),
            Self::Gone => (StatusCode::GONE, "gone", "The asked position is gone"),
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "too-large", "The body is too large"),
            Self::Invalid => (StatusCode::UNPROCESSABLE_ENTITY, "invalid", "The document has faults"),
            Self::Overloaded => (StatusCode::TOO_MANY_REQUESTS, "overloaded", "Too much waits already"),
            Self::NoQuorum => (StatusCode::SERVICE_UNAVAILABLE, "no-quorum", "No majority of the queens answers"),
            Self::NoLeader => (StatusCode::SERVICE_UNAVAILABLE, "no-leader", "This queen does not lead"),
            Self::OutcomeUnknown => {
                (StatusCode::SERVICE_UNAVAILABLE, "outcome-unknown", "It may or may not take effect")
            }
            Self::NotReady => (StatusCode::SERVICE_UNAVAILABLE, "not-ready", "This queen is not ready"),
        }
    }
}

/// An answer that is a «no»: what happened, what it means, what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) kind: Kind,
    pub(super) detail: String,
    pub(super) faults: Vec<Fault>,
}

/// The document.
#[derive(Serialize)]
struct Document<'a> {
    r#type: String,
    title: &'static str,
    status: u16,
    detail: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    faults: Vec<FaultDocument<'a>>,
}

#[derive(Serialize)]
struct FaultDocument<'a> {
    path: &'a str,
    line: Option<u32>,
    column: Option<u32>,
    message: &'a str,
}

impl Problem {
    pub(super) fn new(kind: Kind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), faults: Vec::new() }
    }

    pub(super) fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(Kind::BadRequest, detail)
    }

    pub(super) fn not_found(detail: impl Into<String>) -> Self {
        Self::new(Kind::NotFound, detail)
    }

    pub(super) fn conflict(detail: impl Into<String>) -> Self {
        Self::new(Kind::Conflict, detail)
    }

    pub(super) fn overloaded(detail: impl Into<String>) -> Self {
        Self::new(Kind::Overloaded, detail)
    }

    /// A document with faults; all of them.
    pub(super) fn invalid(faults: Vec<Fault>) -> Self {
        let detail = match faults.as_slice() {
            [] => "the document has a fault that has no place".to_owned(),
            [one] => one.to_string(),
            [first, rest @ ..] => format!("{first} (and {} more)", rest.len()),
        };
        Self { kind: Kind::Invalid, detail, faults }
    }

    pub(super) fn no_leader() -> Self {
        Self::new(Kind::NoLeader, "this queen does not lead (any more), and nothing has happened: ask another queen")
    }

    pub(super) fn outcome_unknown() -> Self {
        Self::new(
            Kind::OutcomeUnknown,
            "the leadership was lost while this was being decided, so it may or may not take effect: try again, a retry is safe",
        )
    }

    fn document(&self) -> String {
        let (status, slug, title) = self.kind.parts();
        let faults = self.faults.iter().map(|fault| FaultDocument {
            path: &fault.path,
            line: fault.position.map(|(line, _)| line),
            column: fault.position.map(|(_, column)| column),
            message: &fault.message,
        });
        let document = Document {
            r#type: format!("urn:antfarm:problem:{slug}"),
            title,
            status: status.as_u16(),
            detail: &self.detail,
            faults: faults.collect(),
        };
        serde_json::to_string(&document).expect("texts and numbers can be written")
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.document()));
        *response.status_mut() = self.kind.parts().0;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, CONTENT_TYPE);
        match self.kind {
            Kind::NoLeader => {
                headers.insert(NOT_LEADING, HeaderValue::from_static("true"));
                headers.insert(header::RETRY_AFTER, RETRY_AFTER);
            }
            Kind::Overloaded
            | Kind::NoQuorum
            | Kind::OutcomeUnknown
            | Kind::NotReady
            | Kind::ChangeUnderWay
            | Kind::NotCaughtUp => {
                headers.insert(header::RETRY_AFTER, RETRY_AFTER);
            }
            Kind::BadRequest
            | Kind::NotFound
            | Kind::MethodNotAllowed
            | Kind::Conflict
            | Kind::QuorumAtRisk
            | Kind::Gone
            | Kind::TooLarge
            | Kind::Invalid => {}
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_names_its_type_and_every_fault_with_its_place() {
        let fault = |path: &str, position| Fault { path: path.into(), position, message: "is wrong".into() };
        let problem = Problem::invalid(vec![fault("nodes.a", Some((3, 5))), fault("", None)]);
        let document: serde_json::Value = serde_json::from_str(&problem.document()).expect("it is JSON");
        assert_eq!(
            document,
            serde_json::json!({
                "type": "urn:antfarm:problem:invalid",
                "title": "The document has faults",
                "status": 422,
                "detail": "3:5: nodes.a: is wrong (and 1 more)",
                "faults": [
                    {"path": "nodes.a", "line": 3, "column": 5, "message": "is wrong"},
                    {"path": "", "line": null, "column": null, "message": "is wrong"},
                ],
            })
        );
    }

    #[test]
    fn what_is_worth_a_retry_says_when() {
        let response = Problem::overloaded("too much").into_response();
        assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(response.headers()[header::RETRY_AFTER], "1");
        assert_eq!(response.headers()[header::CONTENT_TYPE], "application/problem+json");
        assert!(Problem::conflict("no").into_response().headers().get(header::RETRY_AFTER).is_none());
    }

    #[test]
    fn only_a_queen_that_does_not_lead_says_so() {
        assert!(Problem::no_leader().into_response().headers().contains_key(NOT_LEADING));
        assert!(!Problem::outcome_unknown().into_response().headers().contains_key(NOT_LEADING));
    }
}
