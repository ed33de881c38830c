//! How an attempt ended, as its forager reports it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::json_text::JsonText;

/// How an attempt ended. What was cancelled is reported by [`Cancelled`](crate::Cancelled).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// With a result.
    Succeeded {
        /// The result.
        result: JsonText,
    },
    /// By itself, without a result.
    Failed {
        /// In which way.
        kind: FailureKind,
        /// What there is to say, such as the end of its standard error.
        message: Arc<str>,
    },
    /// With its forager's process, lease or machine: it runs no more, but nobody knows how far it came.
    Interrupted,
}

/// In which way an attempt failed by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The program ended with an exit code that says failure.
    Exit,
    /// The program ended with 75: worth a retry.
    Temporary,
    /// The target refused the fence (exit code 76).
    Fenced,
    /// The program was ended by a signal that was not its forager's.
    Signal,
    /// The program could not be started.
    NotStarted,
    /// What it printed is no JSON.
    BadResult,
    /// What it printed is larger than a result may be.
    ResultTooLarge,
}
