//! One attempt under the keeper, from its start to the moment in which nothing of it is left.

mod force;
mod pipes;

use std::convert::Infallible;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use antfarm_env::Env;
use antfarm_protocol::AttemptRef;
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::process::Child;
use tokio::sync::{mpsc, oneshot, watch};

use super::kept::Until;
use super::orphans::Sentries;
use crate::executor::Log;
use crate::keeper::command::sentry;
use crate::keeper::frame::{encode, read};
use crate::keeper::wire::{Ended, Environment, Exit, SentryOrder, SentryTale, Start};
use crate::process::ProcessMark;
use pipes::Output;

/// So much of an output is kept at most, whatever a forager asks for: it has to fit into a frame.
const MAX_OUTPUT_BYTES: usize = 4 << 20;

/// What is written in the pipes of a program is read for at most so long after everything of the attempt is gone. Only who
/// was handed a pipe by other means than being started can still hold it.
const DRAIN_WITHIN: Duration = Duration::from_secs(1);

/// A sentry that has said its last word ends within this time, or is ended.
const SENTRY_ENDS_WITHIN: Duration = Duration::from_secs(1);

/// What the house hears of an attempt.
#[derive(Debug)]
pub(super) enum Report {
    /// Its program runs.
    Started(ProcessMark),
    /// It has ended, and nothing of it is left. The last.
    Ended(Ended),
}

/// What an attempt needs of the house.
pub(super) struct Attended {
    pub(super) env: Env,
    pub(super) folder: PathBuf,
    pub(super) environment: Arc<Environment>,
    pub(super) sentries: Sentries,
    pub(super) reports: mpsc::Sender<(AttemptRef, Report)>,
    pub(super) log: Arc<Log>,
    pub(super) due: watch::Receiver<Until>,
}

/// How a sentry ended.
struct Last {
    exit: Exit,
    stopped: bool,
}

/// Runs a program to its end. The house hears of its start, and of its end when nothing of it is left.
pub(super) async fn attend(start: Start, attended: Attended) {
    let (attempt, folder, reports) = (start.attempt, attended.folder.clone(), attended.reports.clone());
    let ended = match make(&folder).await {
        Ok(()) => run(start, attended).await,
        Err(error) => {
            let why = format!("its working folder {} could not be made: {error}", folder.display());
            Ended::never_began(why, None)
        }
    };
    if let Err(error) = tokio::fs::remove_dir_all(&folder).await
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(folder = %folder.display(), %error, "a working folder could not be removed");
    }
    // Without a house there is no process to be in.
    let _ = reports.send((attempt, Report::Ended(ended))).await;
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

async fn run(start: Start, attended: Attended) -> Ended {
    let (mut child, control) = match spawn(&attended.folder, start.mark) {
        Ok(spawned) => spawned,
        Err(error) => return Ended::never_began(format!("its sentry could not be started: {error}"), None),
    };
    let id = child.id().unwrap_or_default();
    attended.sentries.add(id);
    let mut output = Output::new(usize::try_from(start.output_bytes).unwrap_or(MAX_OUTPUT_BYTES).min(MAX_OUTPUT_BYTES));
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (gone, is_gone) = oneshot::channel();
    let watch = async {
        let last = watch(id, control, start, &attended).await;
        end(&mut child, id, last.is_none(), &attended.sentries).await;
        // The pipes may have been done with before.
        let _ = gone.send(());
        last
    };
    let read = async {
        let pipes = async {
            tokio::join!(output.take(stdout), pipes::keep(stderr, &attended.log));
        };
        let give_up = async {
            let _ = is_gone.await;
            tokio::time::sleep(DRAIN_WITHIN).await;
        };
        tokio::select! {
            () = pipes => {}
            () = give_up => {}
        }
    };
    let (last, ()) = tokio::join!(watch, read);
    let until = *attended.due.borrow();
    // A sentry that was killed saw no end. If its time was over, it was the keeper that killed it.
    let was_due = attended.env.boot_time() >= until.due().kill_at;
    let Last { exit, stopped } = last.unwrap_or(Last { exit: Exit::Unseen, stopped: was_due });
    let too_large = output.too_large;
    let (output, log) = (output.into_bytes(), attended.log.bytes());
    Ended { exit, stopped: stopped.then(|| until.cause()), output, too_large, log }
}

/// Starts a sentry. What it writes to its standard output and standard error is the program's.
fn spawn(folder: &Path, mark: u64) -> io::Result<(Child, UnixStream)> {
    let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    let mut command = sentry(folder, mark);
    command.stdin(OwnedFd::from(theirs)).stdout(Stdio::piped()).stderr(Stdio::piped());
    // The command holds the sentry's end of the connection, and goes with this function.
    Ok((command.spawn()?, UnixStream::from_std(ours)?))
}

/// Tells the sentry what to run and until when, hears what becomes of it, and takes over if it does not do its duty.
/// Nothing if it is gone without a last word.
async fn watch(id: u32, control: UnixStream, start: Start, attended: &Attended) -> Option<Last> {
    let (hears, tells) = control.into_split();
    tokio::select! {
        last = hear(hears, start.attempt, attended) => last,
        never = tell(tells, start, attended) => match never {},
        never = force::when_due(id, attended.env.clone(), attended.due.clone()) => match never {},
    }
}

async fn hear(mut control: OwnedReadHalf, attempt: AttemptRef, attended: &Attended) -> Option<Last> {
    loop {
        match read(&mut control).await {
            Ok(Some(SentryTale::Started(program))) => {
                let _ = attended.reports.send((attempt, Report::Started(program))).await;
            }
            Ok(Some(SentryTale::Ended { exit, stopped })) => return Some(Last { exit, stopped }),
            Ok(None) | Err(_) => return None,
        }
    }
}

/// Says the first word, and then what changes. Never done: a sentry that is gone is met by who listens.
async fn tell(mut control: OwnedWriteHalf, start: Start, attended: &Attended) -> Infallible {
    let mut due = attended.due.clone();
    let own = start.environment.into_iter().map(|(name, value)| (name.into_bytes(), value.into_bytes()));
    let first = SentryOrder::Start {
        command: start.command,
        environment: attended.environment.iter().cloned().chain(own).collect(),
        folder: attended.folder.clone(),
        input: start.input,
        guarded: start.guarded,
        due: due.borrow_and_update().due(),
    };
    let mut order = Some(first);
    while let Some(frame) = order.as_ref().and_then(|order| encode(order).ok()) {
        if control.write_all(&frame).await.is_err() || due.changed().await.is_err() {
            break;
        }
        order = Some(SentryOrder::Due(due.borrow_and_update().due()));
    }
    std::future::pending().await
}

/// Waits until the sentry is gone, and everything that it stood for.
async fn end(child: &mut Child, id: u32, is_lost: bool, sentries: &Sentries) {
    if is_lost || tokio::time::timeout(SENTRY_ENDS_WITHIN, child.wait()).await.is_err() {
        // Fails only for one that has ended.
        let _ = child.kill().await;
    }
    sentries.remove(id);
    if is_lost {
        sentries.end_orphans().await;
    }
}
