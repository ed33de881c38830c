//! A process that is held by a descriptor: what is signalled is what was looked at.

use std::io;
use std::os::fd::OwnedFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::process::ProcessMark;
use crate::process::proc_files::status;

/// A process. As long as it has not ended, its number is its own.
#[derive(Debug)]
pub(crate) struct Held {
    id: u32,
    descriptor: OwnedFd,
}

impl Held {
    /// Holds whatever process has this number now; none if there is none.
    pub(crate) fn open(id: u32) -> Option<Self> {
        let pid = i32::try_from(id).ok().and_then(Pid::from_raw)?;
        let descriptor = pidfd_open(pid, PidfdFlags::NONBLOCK).ok()?;
        Some(Self { id, descriptor })
    }

    /// Holds a process if it is the one that is meant.
    pub(crate) fn marked(mark: ProcessMark) -> Option<Self> {
        let held = Self::open(mark.id)?;
        // Looked at while it is held: if it has not ended by then, what was seen is its own.
        (ProcessMark::of(mark.id) == Some(mark) && !held.has_ended()).then_some(held)
    }

    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    /// Whether it runs no more, reaped or not.
    pub(crate) fn has_ended(&self) -> bool {
        let mut polled = [PollFd::new(&self.descriptor, PollFlags::IN)];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut polled, Some(&at_once)).is_ok_and(|ready| ready > 0)
    }

    /// Waits until it has ended.
    pub(crate) async fn ended(&self) -> io::Result<()> {
        let copy = self.descriptor.try_clone()?;
        #[expect(
            deprecated,
            reason = "its successor is unsafe, for types that do not own their descriptor; this one does"
        )]
        let copy = AsyncFd::with_interest(copy, Interest::READABLE)?;
        copy.readable().await.map(drop)
    }

    /// Whether it runs as a child of another.
    pub(crate) fn is_child_of(&self, parent: &Self) -> bool {
        // Looked at while both are held.
        let is_child = status(self.id).is_some_and(|status| status.parent == parent.id);
        is_child && !self.has_ended() && !parent.has_ended()
    }

    /// SIGCONT: one that was stopped goes on.
    pub(crate) fn wake(&self) {
        self.signal(Signal::CONT);
    }

    /// SIGKILL. One that has ended has no use for it.
    pub(crate) fn kill(&self) {
        self.signal(Signal::KILL);
    }

    fn signal(&self, signal: Signal) {
        if let Err(error) = pidfd_send_signal(&self.descriptor, signal)
            && error != rustix::io::Errno::SRCH
        {
            tracing::warn!(process = self.id, %error, "a process could not be signalled");
        }
    }
}
