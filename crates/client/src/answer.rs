//! An answer that arrived whole.

use bytes::Bytes;
use hyper::StatusCode;
use serde::de::DeserializeOwned;

use crate::error::{ClientError, Problem};

/// An answer that arrived whole.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Who answered (`host:port`).
    pub server: String,
    /// The HTTP status.
    pub status: StatusCode,
    /// A log entry that the answer reflects.
    pub index: Option<u64>,
    /// Where the leader takes requests (`host:port`), if another queen had it answer.
    pub leader: Option<String>,
    /// The body.
    pub body: Bytes,
}

impl Answer {
    /// The body as a value.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, ClientError> {
        serde_json::from_slice(&self.body).map_err(|error| self.not_understood(&error.to_string()))
    }

    /// The log entry that it reflects.
    pub(crate) fn dated(&self) -> Result<u64, ClientError> {
        self.index.ok_or_else(|| self.not_understood("it does not say which log entry it reflects"))
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The problem, if it is one.
    pub(crate) fn problem(&self) -> Option<Problem> {
        if self.status.is_success() {
            return None;
        }
        let stated = serde_json::from_slice::<Problem>(&self.body).ok();
        Some(stated.unwrap_or_else(|| Problem {
            r#type: "about:blank".to_owned(),
            title: self.status.to_string(),
            status: self.status.as_u16(),
            detail: self.text().chars().take(MAX_QUOTE).collect(),
            faults: Vec::new(),
        }))
    }

    fn not_understood(&self, why: &str) -> ClientError {
        ClientError::NotUnderstood { server: self.server.clone(), why: why.to_owned() }
    }
}

/// Characters of an unknown answer that are shown.
const MAX_QUOTE: usize = 200;
