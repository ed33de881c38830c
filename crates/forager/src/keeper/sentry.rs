//! The sentry: the process between the keeper and one program at a time, from which everything that the program starts
//! descends.
//!
//! It waits on few things and does few: a message of its keeper, the end of the program, the moment in which the program
//! has to be dead. It allocates little, has one thread, and waits for nobody.

mod program;
mod reap;
mod timer;

use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use antfarm_env::SystemClocks;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, getpid, pidfd_open, set_child_subreaper, setsid};

use crate::keeper::descriptors::Control;
use crate::keeper::frame::{Inbox, encode};
use crate::keeper::wire::{Exit, SentryOrder, SentryTale};
use crate::keeper::{Due, Suspension};
use crate::process::{Group, Pauses, ProcessMark, kill_below};
use program::Program;
use reap::Children;
use timer::Timer;

/// It looks around at least this often: for a suspension, and for orphans that have ended.
const LOOK: Duration = Duration::from_millis(250);

/// Of a program that ends within this time only the end is told: to tell of its start, and for all others to take note, takes
/// as long as a short program runs.
const BRIEF: Duration = Duration::from_millis(50);

/// No timer is set for longer.
const LONGEST: Duration = Duration::from_hours(24);

/// Guards one program after the other, which the keeper names on standard input, until the keeper has no more. A program's
/// end is told, and the next one taken, when nothing that it started is left, whatever it did to hide.
///
/// An error says that the keeper was not told: it then takes the attempt for one that nobody saw the end of.
pub fn run_sentry() -> io::Result<()> {
    let mut control = Control::new(UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?));
    let mut inbox = Inbox::default();
    let timer = Timer::new()?;
    let is_alone = alone();
    // A keeper that is gone, or closes the connection, wants nothing to be run.
    while let Some((program, guarded, due)) = next(&mut control, &mut inbox)? {
        control.wait_when_reading(false);
        let (exit, stopped) = if SystemClocks::boot_time() >= due.stop_at {
            (Exit::NotStarted("its time was over before it began".to_owned()), true)
        } else {
            match is_alone.clone().and_then(|()| program.spawn()) {
                Ok(program) => guard(program, &mut control, &mut inbox, &timer, guarded, due),
                Err(message) => (Exit::NotStarted(message), false),
            }
        };
        control.wait_when_reading(true);
        tell(&mut control, &SentryTale::Ended { exit, stopped })?;
    }
    Ok(())
}

/// Guards a program that was started until nothing of it is left; says how it ended, and whether it was asked to. Nothing
/// here may fail.
fn guard(
    program: Pid,
    control: &mut Control,
    inbox: &mut Inbox,
    timer: &Timer,
    guarded: bool,
    due: Due,
) -> (Exit, bool) {
    let suspension = Suspension::since(SystemClocks::boot_time(), SystemClocks::monotonic());
    let is_told = false;
    Watch { control, inbox, program, timer, guarded, due, is_told, stopped: false, suspension }.until_nothing_is_left()
}

/// Cuts every tie by which others could end this process by accident, and becomes the parent of all orphans below it.
fn alone() -> Result<(), String> {
    // Fails only for who leads a group already, as when a person calls this.
    let _ = setsid();
    set_child_subreaper(Some(getpid())).map_err(|error| format!("its descendants could not be kept together: {error}"))
}

/// The next program to guard, whether a suspension of the machine ends it, and when it has to end. What is still said of the
/// one before comes too late.
fn next(control: &mut Control, inbox: &mut Inbox) -> io::Result<Option<(Program, bool, Due)>> {
    loop {
        match inbox.next().map_err(io::Error::other)? {
            Some(SentryOrder::Start { command, environment, folder, input, guarded, due }) => {
                let pipes = control.descriptors().ok_or(io::ErrorKind::InvalidData)?;
                return Ok(Some((Program { command, environment, folder, input, pipes }, guarded, due)));
            }
            Some(SentryOrder::Due(_)) => {}
            None if inbox.fill(control)? => {}
            None => return Ok(None),
        }
    }
}

fn tell(control: &mut Control, tale: &SentryTale) -> io::Result<()> {
    control.write_all(&encode(tale).map_err(io::Error::other)?)
}

/// A program that runs.
struct Watch<'a> {
    control: &'a mut Control,
    inbox: &'a mut Inbox,
    program: Pid,
    timer: &'a Timer,
    guarded: bool,
    due: Due,
    /// The keeper knows of its start.
    is_told: bool,
    stopped: bool,
    suspension: Suspension,
}

impl Watch<'_> {
    /// Waits for the end of the program or brings it about; then of everything that it started.
    fn until_nothing_is_left(mut self) -> (Exit, bool) {
        let mut children = Children::of(self.program);
        let group = Group::of(self.id());
        // Without a descriptor that tells of the end nobody could wait for it: then it is brought about.
        if let Ok(ended) = pidfd_open(self.program, PidfdFlags::empty()) {
            self.wait(&ended, &mut children, group);
        } else {
            self.stopped = true;
        }
        // The group dies in one moment; its number is its own as long as the program is not reaped.
        if !children.program_has_ended() {
            group.inspect(|group| group.kill());
        }
        let own = getpid().as_raw_nonzero().get().cast_unsigned();
        let mut pauses = Pauses::new();
        while !children.reap() {
            kill_below(own);
            let _ = poll(&mut [], Some(&timespec(pauses.next()))); // an interruption makes it shorter
        }
        (children.exit(), self.stopped)
    }

    /// Waits until the program has ended, or has to be killed.
    fn wait(&mut self, ended: &OwnedFd, children: &mut Children, group: Option<Group>) {
        while !children.program_has_ended() {
            let now = SystemClocks::boot_time();
            if self.guarded && self.suspension.is_noticed(now, SystemClocks::monotonic()) {
                self.due = Due::PAST;
            }
            if now >= self.due.stop_at && !self.stopped {
                self.stopped = true;
                group.inspect(|group| group.terminate());
            }
            if now >= self.due.kill_at {
                return;
            }
            self.timer.set(self.due.next_in(now).min(LONGEST));
            let mut polled = [
                PollFd::new(ended, PollFlags::IN),
                PollFd::new(&*self.control, PollFlags::IN),
                PollFd::new(self.timer, PollFlags::IN),
            ];
            let look = if self.is_told { LOOK } else { BRIEF };
            let _ = poll(&mut polled, Some(&timespec(look))); // an interruption is a look around
            let (has_ended, is_addressed) = (!polled[0].revents().is_empty(), !polled[1].revents().is_empty());
            if has_ended {
                return;
            }
            self.tell_of_start();
            if is_addressed {
                self.listen();
            }
            children.reap();
        }
    }

    fn id(&self) -> u32 {
        self.program.as_raw_nonzero().get().cast_unsigned()
    }

    /// Tells the keeper, once, that the program runs. A keeper that does not listen is met as the end of the connection.
    fn tell_of_start(&mut self) {
        if !std::mem::replace(&mut self.is_told, true) {
            // Not reaped yet, so it can be looked at.
            let id = self.id();
            let mark = ProcessMark::of(id).unwrap_or(ProcessMark { id, started_ticks: 0 });
            let _ = tell(self.control, &SentryTale::Started(mark));
        }
    }

    /// Takes what the keeper says. If it is gone, nobody else can end what is here.
    fn listen(&mut self) {
        match self.inbox.fill(self.control) {
            Ok(true) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
            Ok(false) | Err(_) => return self.due = Due::PAST,
        }
        loop {
            match self.inbox.next() {
                // What was asked to end cannot be asked to go on.
                Ok(Some(SentryOrder::Due(due))) => self.due = if self.stopped { self.due.and(due) } else { due },
                Ok(Some(SentryOrder::Start { .. }) | None) => return,
                Err(_) => return self.due = Due::PAST,
            }
        }
    }
}

fn timespec(duration: Duration) -> Timespec {
    Timespec { tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX), tv_nsec: duration.subsec_nanos().into() }
}
