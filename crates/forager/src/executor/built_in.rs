//! The tools that are part of the forager: for tests, drills and measurements.

mod append;
mod spin;

use std::sync::Arc;
use std::time::Duration;

use antfarm_protocol::{FailureKind, JsonText, Outcome};
use serde::Deserialize;

use crate::executor::{End, Job, StopSignal, Surroundings};

/// The names of all.
pub(crate) const BUILT_IN: [&str; 6] = ["append", "echo", "fail", "noop", "sleep", "spin"];

/// A tool that is part of the forager.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BuiltIn {
    /// Writes to a ledger, works, writes again.
    Append,
    /// Its result is its arguments.
    Echo,
    /// Fails.
    Fail,
    /// Nothing.
    Noop,
    /// Waits.
    Sleep,
    /// Burns CPU.
    Spin,
}

#[derive(Deserialize)]
struct Milliseconds {
    ms: u64,
}

#[derive(Deserialize)]
struct Failure {
    #[serde(default)]
    message: Option<String>,
}

impl BuiltIn {
    /// The tool with that name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "append" => Some(Self::Append),
            "echo" => Some(Self::Echo),
            "fail" => Some(Self::Fail),
            "noop" => Some(Self::Noop),
            "sleep" => Some(Self::Sleep),
            "spin" => Some(Self::Spin),
            _ => None,
        }
    }

    /// What comes of it, if that takes no time: then it needs neither a task nor a start that is remembered.
    pub(crate) fn at_once(self, args: &JsonText, result_bytes: usize) -> Option<Outcome> {
        match self {
            Self::Noop => Some(succeeded()),
            Self::Echo if args.as_str().len() > result_bytes => Some(too_large(result_bytes)),
            Self::Echo => Some(Outcome::Succeeded { result: args.clone() }),
            Self::Fail => Some(fail(args)),
            Self::Append | Self::Sleep | Self::Spin => None,
        }
    }
}

/// Runs a tool to its end, or until it is stopped.
pub(super) async fn run(tool: BuiltIn, job: &Job, around: &Surroundings, mut stop: StopSignal) -> End {
    let args = &job.assign.work.args;
    let work = async {
        match tool {
            BuiltIn::Append => append::append(job, around).await,
            BuiltIn::Sleep => {
                with_args(args, |Milliseconds { ms }| tokio::time::sleep(Duration::from_millis(ms))).await
            }
            BuiltIn::Spin => {
                with_args(args, |Milliseconds { ms }| spin::spin(&around.env, Duration::from_millis(ms))).await
            }
            BuiltIn::Noop | BuiltIn::Echo | BuiltIn::Fail => {
                tool.at_once(args, around.result_bytes).unwrap_or_else(succeeded)
            }
        }
    };
    tokio::select! {
        biased;
        outcome = work => End::Itself(outcome),
        cause = stop.wait() => End::Stopped { cause, own: None },
    }
}

async fn with_args<T: for<'a> Deserialize<'a>, F: Future<Output = ()>>(
    args: &JsonText,
    work: impl FnOnce(T) -> F,
) -> Outcome {
    match read::<T>(args) {
        Ok(read) => {
            work(read).await;
            succeeded()
        }
        Err(failed) => failed,
    }
}

fn read<T: for<'a> Deserialize<'a>>(args: &JsonText) -> Result<T, Outcome> {
    serde_json::from_str(args.as_str())
        .map_err(|error| failed(FailureKind::NotStarted, format!("the arguments do not fit the tool: {error}")))
}

fn fail(args: &JsonText) -> Outcome {
    // Arguments that say nothing, `null` among them, are as good as none.
    let message = read::<Failure>(args).ok().and_then(|failure| failure.message);
    let message: String =
        message.unwrap_or_else(|| "it was asked to fail".into()).chars().take(MESSAGE_CHARACTERS).collect();
    failed(FailureKind::Exit, message)
}

/// No message of `fail` is longer.
const MESSAGE_CHARACTERS: usize = 1_024;

fn succeeded() -> Outcome {
    Outcome::Succeeded { result: JsonText::null() }
}

fn failed(kind: FailureKind, message: impl Into<Arc<str>>) -> Outcome {
    Outcome::Failed { kind, message: message.into() }
}

pub(super) fn too_large(limit: usize) -> Outcome {
    let message = format!(
        "the result is larger than {limit} bytes: write it to a file or an object store, and let the result name it"
    );
    failed(FailureKind::ResultTooLarge, message)
}

#[cfg(test)]
mod tests;
