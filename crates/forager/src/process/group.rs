//! A process group.

use rustix::process::{Pid, Signal, kill_process_group};

/// The group of a program and those of its descendants that stayed in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group(Pid);

impl Group {
    /// The group whose leader has this process id.
    pub(crate) fn of(id: u32) -> Option<Self> {
        i32::try_from(id).ok().and_then(Pid::from_raw).map(Self)
    }

    /// Asks all its processes to end. A group that is gone has ended.
    pub(crate) fn terminate(self) {
        self.signal(Signal::TERM);
    }

    /// Ends all its processes. Only while the leader has not been reaped, or is known by its mark: later the number may
    /// be a stranger's.
    pub(crate) fn kill(self) {
        self.signal(Signal::KILL);
    }

    fn signal(self, signal: Signal) {
        // What cannot be signalled is met again by whoever looks for what is left.
        let _ = kill_process_group(self.0, signal);
    }
}
