//! The children of a sentry: the program, and all orphans below it.

use rustix::io::Errno;
use rustix::process::{Pid, WaitOptions, WaitStatus, wait};

use crate::keeper::wire::Exit;

/// What is known of the children.
pub(super) struct Children {
    program: Pid,
    status: Option<WaitStatus>,
}

impl Children {
    pub(super) fn of(program: Pid) -> Self {
        Self { program, status: None }
    }

    /// Takes note of all that have ended, and says whether none is left.
    ///
    /// This is the kernel's own word: whoever loses its parent below a subreaper becomes its child, so a sentry without
    /// children is a sentry without descendants.
    pub(super) fn reap(&mut self) -> bool {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) => {
                    if pid == self.program {
                        self.status = Some(status);
                    }
                }
                Ok(None) => return false,
                Err(Errno::INTR) => {}
                Err(_) => return true,
            }
        }
    }

    /// Whether the program has ended, and its number may be a stranger's.
    pub(super) fn program_has_ended(&self) -> bool {
        self.status.is_some()
    }

    /// How the program ended.
    pub(super) fn exit(&self) -> Exit {
        let code = self.status.and_then(WaitStatus::exit_status).map(Exit::Code);
        let signal = || self.status.and_then(WaitStatus::terminating_signal).map(Exit::Signal);
        code.or_else(signal).unwrap_or(Exit::Unseen)
    }
}
