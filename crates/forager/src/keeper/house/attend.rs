//! Attempts under the keeper, one after the other below one sentry, each from its start to the moment in which nothing of it
//! is left.

mod force;
mod pipes;

use std::convert::Infallible;
use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use antfarm_env::Env;
use antfarm_protocol::AttemptRef;
use tokio::io::{AsyncWriteExt, Interest};
use tokio::net::UnixStream;
use tokio::net::unix::{ReadHalf, WriteHalf};
use tokio::process::Child;
use tokio::sync::{mpsc, oneshot, watch};

use super::folders::Folders;
use super::kept::Until;
use super::orphans::Sentries;
use super::spares::Spares;
use crate::executor::Log;
use crate::keeper::Due;
use crate::keeper::command::sentry;
use crate::keeper::descriptors::{DESCRIPTORS, send_with};
use crate::keeper::frame::{encode, read};
use crate::keeper::wire::{Ended, Environment, Exit, SentryOrder, SentryTale, Start};
use crate::process::ProcessMark;
use pipes::{Output, pipe};

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
    pub(super) folders: Folders,
    pub(super) environment: Arc<Environment>,
    pub(super) sentries: Sentries,
    pub(super) spares: Spares,
    /// What a sentry carries in its environment that is started for it.
    pub(super) mark: u64,
    pub(super) reports: mpsc::Sender<(AttemptRef, Report)>,
    pub(super) log: Arc<Log>,
    pub(super) due: watch::Receiver<Until>,
}

/// What is to be done, and with what.
pub(super) type Work = (Start, Attended);

/// A sentry that guards nothing.
struct Sentry {
    child: Child,
    id: u32,
    control: UnixStream,
}

/// A sentry's last word of an attempt.
struct Last {
    exit: Exit,
    stopped: bool,
}

/// Runs programs to their ends, as long as there is work for the sentry. The house hears of the start of each, and of its end
/// when nothing of it is left.
pub(super) async fn attend(work: Work) {
    let (mut next, mut sentry) = (Some(work), None);
    while let Some((start, attended)) = next {
        let (sentries, spares) = (attended.sentries.clone(), attended.spares.clone());
        sentry = attend_one(start, attended, sentry).await;
        let Some(spare) = &mut sentry else { return };
        next = spares.wait().await;
        // One that has ended meanwhile had nothing to guard.
        if next.is_none() || spare.child.try_wait().is_ok_and(|ended| ended.is_some()) {
            end(sentry.take(), &sentries).await;
        }
    }
}

/// Runs one program to its end, and hands back the sentry if it can guard another.
async fn attend_one(start: Start, attended: Attended, sentry: Option<Sentry>) -> Option<Sentry> {
    let (attempt, folders, reports) = (start.attempt, attended.folders.clone(), attended.reports.clone());
    let (ended, spare) = match folders.take() {
        Ok(folder) => {
            let run = run(start, attended, folder.path(), sentry).await;
            folders.give_back(folder).await;
            run
        }
        Err(why) => (Ended::never_began(why, None), sentry),
    };
    // Without a house there is no process to be in.
    let _ = reports.send((attempt, Report::Ended(ended))).await;
    spare
}

async fn run(start: Start, attended: Attended, folder: &Path, sentry: Option<Sentry>) -> (Ended, Option<Sentry>) {
    let ((stdout, out), (stderr, err)) = match pipe().and_then(|stdout| Ok((stdout, pipe()?))) {
        Ok(pipes) => pipes,
        Err(error) => return (Ended::never_began(format!("its pipes could not be made: {error}"), None), sentry),
    };
    let mut sentry = match sentry.map_or_else(|| spawn(&attended, folder), Ok) {
        Ok(sentry) => sentry,
        Err(error) => return (Ended::never_began(format!("its sentry could not be started: {error}"), None), None),
    };
    let mut output = Output::new(usize::try_from(start.output_bytes).unwrap_or(MAX_OUTPUT_BYTES).min(MAX_OUTPUT_BYTES));
    let (gone, is_gone) = oneshot::channel();
    let guarded = start.guarded;
    let watch = async {
        let last = watch(&mut sentry, [out, err], start, folder, &attended).await;
        // Who was stopped may have half an order in its ears, and who said nothing is gone: neither guards another.
        let is_spare = !guarded && last.is_some() && attended.due.borrow().due() == Due::NEVER;
        let spare = if is_spare { Some(sentry) } else { end_of(sentry, last.is_none(), &attended.sentries).await };
        // The pipes may have been done with before.
        let _ = gone.send(());
        (last, spare)
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
    let ((last, spare), ()) = tokio::join!(watch, read);
    let until = *attended.due.borrow();
    // A sentry that was killed saw no end. If its time was over, it was the keeper that killed it.
    let was_due = attended.env.boot_time() >= until.due().kill_at;
    let Last { exit, stopped } = last.unwrap_or(Last { exit: Exit::Unseen, stopped: was_due });
    let too_large = output.too_large;
    let (output, log) = (output.into_bytes(), attended.log.bytes());
    (Ended { exit, stopped: stopped.then(|| until.cause()), output, too_large, log }, spare)
}

/// Starts a sentry.
fn spawn(attended: &Attended, folder: &Path) -> io::Result<Sentry> {
    let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    let control = UnixStream::from_std(ours)?;
    let mut command = sentry(folder, attended.mark);
    command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null());
    // The command holds the sentry's end of the connection, and goes with this function.
    let child = command.spawn()?;
    let id = child.id().unwrap_or_default();
    attended.sentries.add(id);
    Ok(Sentry { child, id, control })
}

/// Tells the sentry what to run and until when, hears what becomes of it, and takes over if it does not do its duty.
/// Nothing if it is gone without a last word.
async fn watch(
    sentry: &mut Sentry,
    pipes: [OwnedFd; DESCRIPTORS],
    start: Start,
    folder: &Path,
    attended: &Attended,
) -> Option<Last> {
    let (hears, tells) = sentry.control.split();
    tokio::select! {
        last = hear(hears, start.attempt, attended) => last,
        never = tell(tells, pipes, start, folder, attended) => match never {},
        never = force::when_due(sentry.id, attended.env.clone(), attended.due.clone()) => match never {},
    }
}

async fn hear(mut control: ReadHalf<'_>, attempt: AttemptRef, attended: &Attended) -> Option<Last> {
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
async fn tell(
    mut control: WriteHalf<'_>,
    pipes: [OwnedFd; DESCRIPTORS],
    start: Start,
    folder: &Path,
    attended: &Attended,
) -> Infallible {
    let mut due = attended.due.clone();
    // Names, numbers and keys of ours hold no NUL.
    let own = start.environment.into_iter();
    let own = own.filter_map(|(name, value)| Some((CString::new(name).ok()?, CString::new(value).ok()?)));
    let first = SentryOrder::Start {
        command: start.command,
        environment: attended.environment.iter().cloned().chain(own).collect(),
        folder: folder.to_owned(),
        input: start.input,
        guarded: start.guarded,
        due: due.borrow_and_update().due(),
    };
    if begin(&mut control, pipes, &first).await.is_ok() {
        while due.changed().await.is_ok() {
            let order = SentryOrder::Due(due.borrow_and_update().due());
            let Ok(frame) = encode(&order) else { break };
            if control.write_all(&frame).await.is_err() {
                break;
            }
        }
    }
    std::future::pending().await
}

/// Sends the first word with the program's ends of the pipes, which nobody here has afterwards.
async fn begin(control: &mut WriteHalf<'_>, pipes: [OwnedFd; DESCRIPTORS], first: &SentryOrder) -> io::Result<()> {
    let frame = encode(first).map_err(io::Error::other)?;
    let socket = control.as_ref();
    let ends = pipes.each_ref().map(AsFd::as_fd);
    let sent = socket.async_io(Interest::WRITABLE, || send_with(socket, &frame, ends)).await?;
    drop(pipes);
    control.write_all(&frame[sent..]).await
}

/// Ends a sentry that has nothing to guard.
async fn end(sentry: Option<Sentry>, sentries: &Sentries) {
    if let Some(sentry) = sentry {
        end_of(sentry, false, sentries).await;
    }
}

/// Waits until a sentry is gone, and everything that it stood for.
async fn end_of(sentry: Sentry, is_lost: bool, sentries: &Sentries) -> Option<Sentry> {
    let Sentry { mut child, id, control } = sentry;
    // It ends when nobody has anything more to say.
    drop(control);
    if is_lost || tokio::time::timeout(SENTRY_ENDS_WITHIN, child.wait()).await.is_err() {
        // Fails only for one that has ended.
        let _ = child.kill().await;
    }
    sentries.remove(id);
    if is_lost {
        sentries.end_orphans().await;
    }
    None
}
