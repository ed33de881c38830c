//! Memory in large pages, so that a queen that is killed is soon gone.
//!
//! The kernel gives back the memory of a killed process before it closes its sockets, and only then the others learn that she
//! is dead. In pages of 4 KiB that takes a tenth of a millisecond for each MiB: with some hundred MiB of state most of a
//! failover. jemalloc asks for pages of 2 MiB only if it is told so when the process begins.

use std::os::unix::process::CommandExt;
use std::process::Command;

/// Where jemalloc looks for settings when a process begins.
const SETTINGS: &str = "_RJEM_MALLOC_CONF";

/// Large pages, and two arenas in place of four for each processor: each has pages of its own, which an idle queen does not
/// fill. With one of them threads wait for each other.
const LARGE: &str = "thp:always,narenas:2";

/// Begins this process once more with memory in large pages, under the same number, with the same arguments. If somebody has
/// set these settings, those count.
pub(crate) fn use_them() {
    if std::env::var_os(SETTINGS).is_some() {
        return;
    }
    let Ok(program) = std::env::current_exe() else { return };
    let mut arguments = std::env::args_os();
    let mut again = Command::new(program);
    again.arg0(arguments.next().unwrap_or_default()).args(arguments).env(SETTINGS, LARGE);
    // Returns only if it fails: then the queen runs as she is, and only her end takes longer.
    let _ = again.exec();
}
