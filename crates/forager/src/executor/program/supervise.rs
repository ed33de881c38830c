//! The end of a program: by itself, or by SIGTERM and then SIGKILL to its group.

use std::io;
use std::os::fd::OwnedFd;
use std::process::ExitStatus;

use rustix::process::{PidfdFlags, pidfd_open};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::process::Child;

use crate::executor::StopSignal;
use crate::process::Group;

/// How a program ended.
pub(super) struct Ended {
    pub(super) status: ExitStatus,
    /// It was asked to.
    pub(super) stopped: bool,
}

/// Waits for the end of a program, or brings it about. When this returns, nothing is left of its group.
///
/// The descendants are killed before the program is reaped: until then its number, which is the group's, cannot become
/// a stranger's.
pub(super) async fn to_the_end(child: &mut Child, mut stop: StopSignal) -> io::Result<Ended> {
    let group = child.id().and_then(Group::of).ok_or(io::ErrorKind::NotFound)?;
    let stopped = match exit_of(group) {
        Ok(exit) => Ok(wait(&exit, group, &mut stop).await),
        Err(error) => Err(error),
    };
    group.kill();
    let status = child.wait().await;
    group.gone().await;
    Ok(Ended { status: status?, stopped: stopped? })
}

/// A descriptor that becomes readable when the leader has ended, and does not reap it.
fn exit_of(group: Group) -> io::Result<AsyncFd<OwnedFd>> {
    let exit = pidfd_open(group.leader(), PidfdFlags::NONBLOCK)?;
    #[expect(deprecated, reason = "its successor is unsafe, for types that do not own their descriptor; this one does")]
    AsyncFd::with_interest(exit, Interest::READABLE)
}

/// Waits until the program has ended, unreaped, and says whether it was asked to.
async fn wait(exit: &AsyncFd<OwnedFd>, group: Group, stop: &mut StopSignal) -> bool {
    let stop = tokio::select! {
        biased;
        _ = exit.readable() => return false,
        stop = stop.wait() => stop,
    };
    group.terminate();
    if tokio::time::timeout(stop.grace, exit.readable()).await.is_err() {
        group.kill();
        // A failure would be the runtime's end.
        let _ = exit.readable().await;
    }
    true
}
