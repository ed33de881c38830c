//! What a forager says to a queen.

mod hello;
mod task_result;

use std::sync::Arc;

use antfarm_model::Epoch;
use serde::{Deserialize, Serialize};

use crate::attempt::AttemptRef;
use crate::bounds::{LARGEST_LOG_BYTES, LARGEST_TEXT_BYTES, MAX_ATTEMPTS, MAX_NAMES};
use crate::error::Bounded;
use crate::outcome::Outcome;

pub use hello::{ClassSlots, Hello};
pub use task_result::TaskResult;

/// What a forager says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type")]
pub enum ForagerMessage {
    /// Who it is and what it holds.
    #[serde(rename = "forager.hello")]
    Hello(Hello),
    /// It lives.
    #[serde(rename = "forager.heartbeat")]
    Heartbeat(Heartbeat),
    /// It runs attempts.
    #[serde(rename = "task.accept")]
    Accept(Accept),
    /// It will not run an attempt.
    #[serde(rename = "task.reject")]
    Reject(Reject),
    /// An attempt has ended.
    #[serde(rename = "task.result")]
    Result(TaskResult),
    /// A cancelled attempt does not run, or not any more.
    #[serde(rename = "task.cancelled")]
    Cancelled(Cancelled),
    /// It hands back attempts that it never started.
    #[serde(rename = "task.returned")]
    Returned(Returned),
    /// What an attempt wrote to its standard error.
    #[serde(rename = "task.log")]
    Log(Log),
}

/// It lives; also asks for a lease, which counts from when this was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heartbeat {
    /// The highest epoch that it ever saw; 0 before the first.
    pub epoch_seen: Epoch,
    /// Rises by one with each heartbeat of a session; the answer repeats it.
    pub sequence: u64,
    /// How busy it is.
    pub load: Load,
    /// A [`RunningDigest`](crate::RunningDigest) of the attempts that it runs.
    pub running_digest: u64,
}

/// How busy a forager is. Displayed; a placement may use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Load {
    /// Attempts that it runs.
    pub running: u32,
    /// The machine's load average over a minute, times 100; 0 where it is not known.
    pub load_average_percent: u32,
}

/// The attempts run now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accept {
    /// Which.
    pub attempts: Vec<AttemptRef>,
}

/// The attempt was not started and never will be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reject {
    /// Which.
    pub attempt: AttemptRef,
    /// Why.
    pub reason: RejectReason,
}

/// Why a forager will not run an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RejectReason {
    /// All its slots are taken.
    NoSlot,
    /// It does not have the tool.
    UnknownTool,
    /// It takes no more work.
    Draining,
    /// By its clock the deadline has passed.
    DeadlinePassed,
    /// It has seen a higher epoch.
    StaleEpoch,
}

/// The attempt was cancelled: it does not run, or not any more, and leaves no process behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cancelled {
    /// Which.
    pub attempt: AttemptRef,
    /// Whether it had started.
    pub started: bool,
}

/// The attempts were not started and never will be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Returned {
    /// Which.
    pub attempts: Vec<AttemptRef>,
}

/// The answer to a [`LogRequest`](crate::LogRequest).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Log {
    /// The number of the request.
    pub request: u64,
    /// Whether anything is kept of that attempt.
    pub found: bool,
    /// The end of what it wrote to its standard error; empty if nothing is kept.
    pub text: Arc<str>,
}

impl ForagerMessage {
    /// The type, as it stands in JSON.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Hello(_) => "forager.hello",
            Self::Heartbeat(_) => "forager.heartbeat",
            Self::Accept(_) => "task.accept",
            Self::Reject(_) => "task.reject",
            Self::Result(_) => "task.result",
            Self::Cancelled(_) => "task.cancelled",
            Self::Returned(_) => "task.returned",
            Self::Log(_) => "task.log",
        }
    }

    pub(crate) fn check(&self) -> Result<(), Bounded> {
        match self {
            Self::Hello(hello) => {
                Bounded::check("tools of a hello", hello.tools.len(), MAX_NAMES)?;
                Bounded::check("running attempts of a hello", hello.running.len(), MAX_ATTEMPTS)?;
                Bounded::check("unstarted attempts of a hello", hello.unstarted.len(), MAX_ATTEMPTS)?;
                Bounded::check("ended attempts of a hello", hello.ended.len(), MAX_ATTEMPTS)
            }
            Self::Accept(Accept { attempts }) | Self::Returned(Returned { attempts }) => {
                Bounded::check("attempts", attempts.len(), MAX_ATTEMPTS)
            }
            Self::Result(TaskResult { outcome: Outcome::Failed { message, .. }, .. }) => {
                Bounded::check("bytes of a failure", message.len(), LARGEST_TEXT_BYTES)
            }
            Self::Log(log) => Bounded::check("bytes of a log", log.text.len(), 3 * LARGEST_LOG_BYTES),
            Self::Heartbeat(_) | Self::Reject(_) | Self::Result(_) | Self::Cancelled(_) => Ok(()),
        }
    }
}

macro_rules! from_body {
    ($($body:ident => $variant:ident),*) => {$(
        impl From<$body> for ForagerMessage {
            fn from(body: $body) -> Self {
                Self::$variant(body)
            }
        }
    )*};
}

from_body!(
    Hello => Hello, Heartbeat => Heartbeat, Accept => Accept, Reject => Reject, TaskResult => Result,
    Cancelled => Cancelled, Returned => Returned, Log => Log
);
