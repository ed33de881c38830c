//! What `/proc` says.

use std::fs;
use std::io;

use crate::process::{MARK_VARIABLE, SENTRY_VARIABLE};

/// The identity of this boot of the machine.
pub(crate) fn boot_id() -> io::Result<String> {
    Ok(fs::read_to_string("/proc/sys/kernel/random/boot_id")?.trim().to_owned())
}

/// The load average over a minute, times 100; 0 where it is not known.
pub(crate) fn load_average_percent() -> u32 {
    /// The kernel's fixed point.
    const ONE: u64 = 1 << 16;
    let load = rustix::system::sysinfo().loads[0];
    u32::try_from(load * 100 / ONE).unwrap_or(u32::MAX)
}

/// The direct children of a process, those that have ended and are not reaped included.
pub(crate) fn children(parent: u32) -> Vec<u32> {
    processes().into_iter().filter(|id| status(*id).is_some_and(|status| status.parent == parent)).collect()
}

/// Whether a process runs. One that has ended and is not reaped does not.
#[cfg(test)]
pub(crate) fn is_running(id: u32) -> bool {
    status(id).is_some_and(|status| !status.zombie)
}

/// The mark of the attempt for which a process is the sentry.
pub(crate) fn sentry_mark(id: u32) -> Option<u64> {
    variable(&environment(id)?, SENTRY_VARIABLE)
}

/// The mark of the attempt to which a process that is no sentry belongs.
pub(super) fn attempt_mark(id: u32) -> Option<u64> {
    variable(&environment(id)?, MARK_VARIABLE)
}

/// A process, as `/proc/ID/stat` has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ProcessStatus {
    pub(super) parent: u32,
    pub(super) group: u32,
    pub(super) started_ticks: u64,
    /// It has ended, and nobody has asked how.
    pub(super) zombie: bool,
}

pub(super) fn status(id: u32) -> Option<ProcessStatus> {
    parse(&fs::read_to_string(format!("/proc/{id}/stat")).ok()?)
}

/// The environment with which a process started, whatever it made of it since.
fn environment(id: u32) -> Option<Vec<u8>> {
    fs::read(format!("/proc/{id}/environ")).ok()
}

/// A mark is written in hexadecimal digits.
fn variable(environment: &[u8], name: &str) -> Option<u64> {
    let values = environment.split(|byte| *byte == 0).filter_map(|one| one.strip_prefix(name.as_bytes()));
    let mut marks = values.filter_map(|value| std::str::from_utf8(value.strip_prefix(b"=")?).ok());
    marks.find_map(|mark| u64::from_str_radix(mark, 16).ok())
}

/// The ids of all processes.
pub(super) fn processes() -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect()
}

/// The name, in parentheses, may hold anything; the fields that count follow its last parenthesis.
fn parse(stat: &str) -> Option<ProcessStatus> {
    let (_, fields) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
    let field = |number: usize| fields.get(number - 3).copied();
    Some(ProcessStatus {
        parent: field(4)?.parse().ok()?,
        group: field(5)?.parse().ok()?,
        started_ticks: field(22)?.parse().ok()?,
        zombie: matches!(field(3)?, "Z" | "X"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_and_spaces_hides_nothing() {
        let stat = "42 (a) b) S 1 40 40 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 987654 0 0";
        assert_eq!(parse(stat), Some(ProcessStatus { parent: 1, group: 40, started_ticks: 987_654, zombie: false }));
        assert_eq!(parse("42 (a"), None);
    }

    #[test]
    fn a_mark_is_found_by_the_whole_name_of_its_variable() {
        let environment = b"ANTFARM_RUNS=1\0ANTFARM_RUN=00ff\0ANTFARM_RUN_2=3\0";
        assert_eq!(variable(environment, MARK_VARIABLE), Some(255));
        assert_eq!(variable(environment, SENTRY_VARIABLE), None);
    }

    #[test]
    fn this_process_can_be_seen() {
        let id = std::process::id();
        assert!(processes().contains(&id));
        assert!(status(id).is_some_and(|status| status.started_ticks > 0 && !status.zombie));
        assert!(boot_id().is_ok_and(|id| id.len() == 36));
    }
}
