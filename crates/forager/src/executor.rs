//! Running tools: built-in ones and programs.

mod built_in;
mod job;
mod log;
mod program;
mod stop;
mod tools;
#[cfg(test)]
mod trial;

use std::sync::Arc;

use antfarm_protocol::{AttemptRef, Outcome};
use tokio::sync::{mpsc, oneshot};

pub(crate) use built_in::BUILT_IN;
pub(crate) use job::{Job, Surroundings};
pub(crate) use log::{KeptLogs, Log};
pub(crate) use stop::{Stop, StopSignal};
pub(crate) use tools::{Tool, Tools};

use crate::journal::ProcessMark;

/// What happens while an attempt runs.
#[derive(Debug)]
pub(crate) enum Happening {
    /// Its program runs.
    Process(ProcessMark),
    /// It has ended, and nothing of it runs any more.
    Ended(End),
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum End {
    /// By itself.
    Itself(Outcome),
    /// Because it was stopped. A program may have exited of its own accord all the same, and this is what it said then.
    Stopped {
        /// What it came to, if it was not a signal that ended it.
        own: Option<Outcome>,
    },
}

/// Where the foreman hears of it.
pub(crate) type Happenings = mpsc::Sender<(AttemptRef, Happening)>;

/// A run that goes on.
#[derive(Debug)]
pub(crate) struct Run {
    /// Sent to stop it; dropped, it is stopped at once.
    pub(crate) stop: oneshot::Sender<Stop>,
    /// What it writes to its standard error.
    pub(crate) log: Arc<Log>,
}

/// Starts a run in the background. Exactly one [`Happening::Ended`] follows, unless the process ends first.
pub(crate) fn start(tool: Tool, job: Job, surroundings: &Arc<Surroundings>, happenings: Happenings) -> Run {
    let (stop, stopped) = oneshot::channel();
    let log = Arc::new(Log::default());
    let (around, kept) = (Arc::clone(surroundings), Arc::clone(&log));
    surroundings.env.spawn(async move {
        let attempt = job.assign.attempt;
        let signal = StopSignal::new(stopped);
        let end = match tool {
            Tool::BuiltIn(tool) => built_in::run(tool, &job, &around, signal).await,
            Tool::Program(program) => program::run(&program, &job, &around, &kept, signal, &happenings).await,
        };
        // Without a foreman nobody wants to know.
        let _ = happenings.send((attempt, Happening::Ended(end))).await;
    });
    Run { stop, log }
}
