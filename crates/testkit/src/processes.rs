//! Which processes there are, by what `/proc` says.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, ensure};
use rustix::process::{Pid, Signal, kill_process};

use crate::wait_until;

/// A signal takes effect within this time.
const SIGNAL_WITHIN: Duration = Duration::from_secs(5);

/// Whether a process with this pid runs. A zombie does not.
pub fn is_alive(pid: i32) -> bool {
    state(pid).is_some_and(|state| state != 'Z')
}

/// The processes whose command line names something in a folder, or that work in it.
pub fn processes_in(folder: &Path) -> Vec<i32> {
    let prefix = format!("{}/", folder.display());
    let named = |pid: i32| {
        let command_line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&command_line).contains(&prefix)
    };
    let works = |pid: i32| fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd.starts_with(folder));
    let own = std::process::id().cast_signed();
    all().filter(|pid| *pid != own && is_alive(*pid) && (named(*pid) || works(*pid))).collect()
}

/// The direct children of a process, in the order in which they were started, with their command lines.
pub fn child_processes(parent: i32) -> Vec<(i32, String)> {
    let mut pids: Vec<i32> = all().filter(|pid| field(*pid, 1).is_some_and(|of| of == parent.to_string())).collect();
    pids.sort_unstable();
    pids.into_iter().filter(|pid| is_alive(*pid)).map(|pid| (pid, command_line(pid).join(" "))).collect()
}

/// The keeper of the forager with this data folder, if there is one.
pub fn keeper_of(data: &Path) -> Option<i32> {
    let is_keeper = |line: &[String]| {
        line.get(1).is_some_and(|name| name == "keeper") && line.iter().any(|argument| Path::new(argument) == data)
    };
    all().find(|pid| is_alive(*pid) && is_keeper(&command_line(*pid)))
}

/// The sentries of that forager's programs.
pub fn sentries_of(data: &Path) -> Vec<i32> {
    let is_sentry = |line: &[String]| {
        line.get(1).is_some_and(|name| name == "sentry")
            && line.get(2).is_some_and(|of| Path::new(of).starts_with(data))
    };
    all().filter(|pid| is_alive(*pid) && is_sentry(&command_line(*pid))).collect()
}

/// SIGSTOP. Returns when the process stands still.
pub fn pause(pid: i32) {
    signal(pid, Signal::STOP);
    wait_until("a process to stand still", SIGNAL_WITHIN, || {
        let state = state(pid).context("it is gone")?;
        ensure!(state == 'T', "its state is {state}");
        Ok(())
    });
}

/// SIGCONT.
pub fn resume(pid: i32) {
    signal(pid, Signal::CONT);
}

/// SIGKILL.
pub fn kill(pid: i32) {
    signal(pid, Signal::KILL);
}

/// `R`, `S`, `T` for stopped, `Z` for a zombie; nothing if there is no such process.
pub fn state(pid: i32) -> Option<char> {
    field(pid, 0)?.chars().next()
}

/// Sends a signal; a process that is gone has no use for it.
pub fn signal(pid: i32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(pid) {
        let _ = kill_process(pid, signal);
    }
}

fn command_line(pid: i32) -> Vec<String> {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let line = bytes.strip_suffix(&[0]).unwrap_or(&bytes).split(|byte| *byte == 0);
    line.map(|argument| String::from_utf8_lossy(argument).into_owned()).collect()
}

fn all() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").expect("/proc is mounted");
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// A field of `/proc/PID/stat`, counted from the one behind the name of the program.
fn field(pid: i32, number: usize) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, behind) = stat.rsplit_once(')')?;
    behind.split_whitespace().nth(number).map(str::to_owned)
}
