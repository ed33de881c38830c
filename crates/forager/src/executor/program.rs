//! Tools that are programs: arguments on standard input, the result on standard output, a process group of their own.

mod command;
mod exit;
mod pipes;
mod supervise;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use antfarm_protocol::{AttemptRef, FailureKind, Outcome};
use tokio::process::Child;
use tokio::sync::oneshot;

use crate::config::ToolProgram;
use crate::executor::{End, Happening, Happenings, Job, Log, StopSignal, Surroundings};
use crate::journal::ProcessMark;
use crate::process::started_ticks;

/// A program that has ended is not waited for longer than this because a descendant, which must have left the group,
/// still holds its output.
const DRAIN_WITHIN: Duration = Duration::from_secs(1);

/// Runs a program to its end, or until it is stopped. When this returns, its group is gone.
pub(super) async fn run(
    program: &ToolProgram,
    job: &Job,
    around: &Surroundings,
    log: &Arc<Log>,
    stop: StopSignal,
    happenings: &Happenings,
) -> End {
    let folder = folder(around, job.assign.attempt);
    let started = match make(&folder).await {
        Ok(()) => command::spawn(program, job, &folder),
        Err(error) => Err(format!("its working folder {} could not be made: {error}", folder.display())),
    };
    let end = match started {
        Ok(child) => follow(child, job, around, log, stop, happenings).await,
        Err(message) => not_started(message),
    };
    if let Err(error) = tokio::fs::remove_dir_all(&folder).await
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(folder = %folder.display(), %error, "a working folder could not be removed");
    }
    end
}

fn not_started(message: String) -> End {
    End::Itself(Outcome::Failed { kind: FailureKind::NotStarted, message: message.into() })
}

/// Each run has a folder of its own, so that none finds what another left.
fn folder(around: &Surroundings, attempt: AttemptRef) -> PathBuf {
    let AttemptRef { graph, node, index, fence } = attempt;
    around.work.join(format!("{graph}-{node}-{index}-{fence}"))
}

async fn make(folder: &Path) -> io::Result<()> {
    match tokio::fs::create_dir(folder).await {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            tokio::fs::remove_dir_all(folder).await?;
            tokio::fs::create_dir(folder).await
        }
        answer => answer,
    }
}

async fn follow(
    mut child: Child,
    job: &Job,
    around: &Surroundings,
    log: &Arc<Log>,
    stop: StopSignal,
    happenings: &Happenings,
) -> End {
    let attempt = job.assign.attempt;
    if let Some(id) = child.id()
        && let Some(started_ticks) = started_ticks(id)
    {
        // Without a foreman nobody wants to know.
        let _ = happenings.send((attempt, Happening::Process(ProcessMark { id, started_ticks }))).await;
    }
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let mut output = pipes::Output::new(around.result_bytes);
    let (exited, has_exited) = oneshot::channel();
    let supervise = async {
        let ended = supervise::to_the_end(&mut child, stop).await;
        // The pipes may have been done with before.
        let _ = exited.send(());
        ended
    };
    let pump = async {
        let pipes = async {
            tokio::join!(pipes::feed(stdin, &job.assign.args), output.take(stdout), pipes::keep(stderr, log));
        };
        let give_up = async {
            let _ = has_exited.await;
            tokio::time::sleep(DRAIN_WITHIN).await;
        };
        tokio::select! {
            () = pipes => {}
            () = give_up => {}
        }
    };
    let (ended, ()) = tokio::join!(supervise, pump);
    match ended {
        Err(error) => not_started(format!("its process could not be followed: {error}")),
        Ok(ended) => {
            let own = exit::outcome(ended.status, output, log);
            if ended.stopped { End::Stopped { own: ended.status.code().map(|_| own) } } else { End::Itself(own) }
        }
    }
}

#[cfg(test)]
mod tests;
