//! Why a request has no good answer, and with which code the command line ends because of it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a request has no good answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// An address cannot be used.
    #[error("{0:?} is no address of a queen: write http://host:port")]
    BadServer(String),
    /// No queen is named.
    #[error("no queen is named: write --server http://host:port[,…]")]
    NoServer,
    /// No leader answered in time; nothing has happened.
    #[error("no leader answered, and nothing has happened; a retry is safe. {0}")]
    NoLeader(String),
    /// No answer came in time, but the request may have arrived.
    #[error("the outcome is unknown: it may or may not take effect; a retry is safe. {0}")]
    OutcomeUnknown(String),
    /// A queen said no.
    #[error("{0}")]
    Refused(Problem),
    /// What answered does not speak as a queen does.
    #[error("the answer of {server} cannot be understood ({why}): is it a queen of this version?")]
    NotUnderstood {
        /// Who answered.
        server: String,
        /// What is wrong with it.
        why: String,
    },
}

impl ClientError {
    /// The exit code of the command line.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::BadServer(_) | Self::NoServer => 2,
            Self::NoLeader(_) | Self::OutcomeUnknown(_) | Self::NotUnderstood { .. } => 3,
            Self::Refused(_) => 4,
        }
    }

    /// Whether a queen said that there is no such thing.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Refused(problem) if problem.status == 404)
    }
}

/// An RFC 9457 problem document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Which problem it is, such as `urn:antfarm:problem:conflict`.
    pub r#type: String,
    /// The same for people.
    #[serde(default)]
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What happened, what it means, and what to do.
    #[serde(default)]
    pub detail: String,
    /// Everything that is wrong with a document.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
}

/// A fault in a document, by its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Where, as a path.
    pub path: String,
    /// The line, from 1, where it is known.
    pub line: Option<u32>,
    /// The column, from 1, where it is known.
    pub column: Option<u32>,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl Problem {
    /// Which problem it is, in one word, such as `conflict`.
    pub fn kind(&self) -> &str {
        self.r#type.rsplit(':').next().unwrap_or_default()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.faults.is_empty() {
            // The detail is a whole sentence; the title only says of which kind it is.
            return f.write_str(if self.detail.is_empty() { &self.title } else { &self.detail });
        }
        f.write_str(&self.title)?;
        self.faults.iter().try_for_each(|fault| write!(f, "\n  {fault}"))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(f, "{line}:{column}: ")?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}
