//! What a queen shows, with the log entry that it reflects.

use antfarm_model::LogIndex;
use axum::Json;
use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// On every answer: a log entry that it reflects, so that nothing is missed by who watches events after it.
pub(super) const INDEX: HeaderName = HeaderName::from_static("antfarm-index");

/// A view, and the very last entry that it reflects: who counts on from it misses nothing and counts nothing twice.
pub(super) struct Dated<T> {
    pub(super) at: LogIndex,
    pub(super) view: T,
}

impl<T: Serialize> IntoResponse for Dated<T> {
    fn into_response(self) -> Response {
        ([(INDEX, HeaderValue::from(self.at.0))], Json(self.view)).into_response()
    }
}
