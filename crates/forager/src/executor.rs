//! Running tools: built-in ones in this process, programs under the keeper.

mod built_in;
mod exit;
mod job;
mod log;
mod program;
mod run;
mod stop;
mod tools;
#[cfg(test)]
mod trial;

use std::sync::Arc;

use antfarm_protocol::{AttemptRef, Outcome};
use tokio::sync::{mpsc, oneshot};

pub(crate) use built_in::BUILT_IN;
pub(crate) use exit::end_of;
pub(crate) use job::{Job, Surroundings};
pub(crate) use log::{KeptLogs, Log};
pub(crate) use run::Run;
pub(crate) use stop::{Stop, StopCause, StopSignal};
pub(crate) use tools::{Tool, Tools};

use crate::process::ProcessMark;
use crate::session::SessionNo;

/// What happens while an attempt runs.
#[derive(Debug)]
pub(crate) enum Happening {
    /// Its program runs.
    Process(ProcessMark),
    /// It has ended, and nothing of it runs any more.
    Ended {
        /// How.
        end: End,
        /// What a program wrote to its standard error.
        log: Option<Arc<Log>>,
    },
    /// What its program has written so far, which a queen asked for.
    Log {
        /// On which session.
        session: SessionNo,
        /// Under which number.
        request: u64,
        /// The text; nothing if it is not known.
        text: Option<String>,
    },
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum End {
    /// By itself.
    Itself(Outcome),
    /// Because it was stopped. A program may have exited of its own accord all the same, and this is what it said then.
    Stopped {
        /// Why.
        cause: StopCause,
        /// What it came to, if it was not a signal that ended it.
        own: Option<Outcome>,
    },
}

/// Where the foreman hears of it.
pub(crate) type Happenings = mpsc::Sender<(AttemptRef, Happening)>;

/// Starts a run in the background. Exactly one [`Happening::Ended`] follows, unless the process ends first: then that of a
/// program is told to the next process.
pub(crate) fn start(tool: Tool, job: Job, surroundings: &Arc<Surroundings>, happenings: Happenings) -> Run {
    let attempt = job.assign.attempt;
    match tool {
        Tool::Program(program) => {
            surroundings.keeper.start(program::start(&program, &job, surroundings.result_bytes));
            Run::kept(attempt, surroundings.keeper.clone())
        }
        Tool::BuiltIn(tool) => {
            let (stop, stopped) = oneshot::channel();
            let around = Arc::clone(surroundings);
            surroundings.env.spawn(async move {
                let end = built_in::run(tool, &job, &around, StopSignal::new(stopped)).await;
                // Without a foreman nobody wants to know.
                let _ = happenings.send((attempt, Happening::Ended { end, log: None })).await;
            });
            Run::built_in(stop)
        }
    }
}
