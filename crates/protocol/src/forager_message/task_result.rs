//! `task.result`: how an attempt ended.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize};

use crate::attempt::AttemptRef;
use crate::json_text::JsonText;
use crate::outcome::{FailureKind, Outcome};

/// How an attempt ended. Kept by the forager, and sent again to every new leader, until it is confirmed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Flat", try_from = "Flat")]
pub struct TaskResult {
    /// Which attempt.
    pub attempt: AttemptRef,
    /// How it ended.
    pub outcome: Outcome,
}

impl TaskResult {
    /// Whether the other one is of the next instance of the same node, which ended in the same way.
    pub(crate) fn is_followed_by(&self, next: &Self) -> bool {
        self.attempt.is_followed_by(&next.attempt) && self.outcome == next.outcome
    }
}

/// The fields as they stand in JSON, where the outcome's own are among them.
#[derive(Serialize, Deserialize)]
struct Flat {
    attempt: AttemptRef,
    outcome: Tag,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    result: Option<JsonText>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failure: Option<FailureKind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message: Option<Arc<str>>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Tag {
    Succeeded,
    Failed,
    Interrupted,
}

/// A result of `null` is a result.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<JsonText>, D::Error> {
    JsonText::deserialize(deserializer).map(Some)
}

impl From<TaskResult> for Flat {
    fn from(TaskResult { attempt, outcome }: TaskResult) -> Self {
        let bare = |outcome| Self { attempt, outcome, result: None, failure: None, message: None };
        match outcome {
            Outcome::Succeeded { result } => Self { result: Some(result), ..bare(Tag::Succeeded) },
            Outcome::Failed { kind, message } => {
                Self { failure: Some(kind), message: Some(message), ..bare(Tag::Failed) }
            }
            Outcome::Interrupted => bare(Tag::Interrupted),
        }
    }
}

impl TryFrom<Flat> for TaskResult {
    type Error = &'static str;

    fn try_from(flat: Flat) -> Result<Self, &'static str> {
        let outcome = match flat.outcome {
            Tag::Succeeded => {
                Outcome::Succeeded { result: flat.result.ok_or("a task.result that succeeded needs a `result`")? }
            }
            Tag::Failed => Outcome::Failed {
                kind: flat.failure.ok_or("a task.result that failed needs a `failure`")?,
                message: flat.message.unwrap_or_else(|| "".into()),
            },
            Tag::Interrupted => Outcome::Interrupted,
        };
        Ok(Self { attempt: flat.attempt, outcome })
    }
}
