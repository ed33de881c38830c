//! A process group, and its end.

use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

use crate::process::proc_files::{processes, status};

/// How often a killed group is asked whether it is gone.
const POLL: Duration = Duration::from_millis(2);

/// A killed group is waited for this long. Only what hangs in the kernel takes longer.
const GONE_WITHIN: Duration = Duration::from_millis(500);

/// The group of a program and its descendants.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group(Pid);

impl Group {
    /// The group whose leader has this process id.
    pub(crate) fn of(id: u32) -> Option<Self> {
        i32::try_from(id).ok().and_then(Pid::from_raw).map(Self)
    }

    pub(crate) fn leader(self) -> Pid {
        self.0
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

    /// Waits until a killed group is gone.
    pub(crate) async fn gone(self) {
        let polls = GONE_WITHIN.as_millis() / POLL.as_millis();
        for _ in 0..polls {
            if test_kill_process_group(self.0).is_err() || !self.is_alive() {
                return;
            }
            tokio::time::sleep(POLL).await;
        }
        tracing::warn!(group = self.0.as_raw_nonzero().get(), "a killed process group still has processes");
    }

    /// Whether any of its processes still runs. One that has ended and is not reaped, as happens where the first process
    /// of a container reaps nobody, does not.
    fn is_alive(self) -> bool {
        let group = self.0.as_raw_nonzero().get().cast_unsigned();
        let mut statuses = processes().into_iter().filter_map(status);
        statuses.any(|status| status.group == group && !status.zombie)
    }

    fn signal(self, signal: Signal) {
        if let Err(error) = kill_process_group(self.0, signal)
            && error != rustix::io::Errno::SRCH
        {
            tracing::warn!(group = self.0.as_raw_nonzero().get(), %error, "a process group could not be signalled");
        }
    }
}
