//! What `/proc` says.

use std::fs;
use std::io;

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

/// When a process started, in ticks since boot. None if there is no such process.
pub(crate) fn started_ticks(id: u32) -> Option<u64> {
    status(id).map(|status| status.started_ticks)
}

/// Whether a process runs. One that has ended and is not reaped does not.
#[cfg(test)]
pub(crate) fn is_alive(id: u32) -> bool {
    status(id).is_some_and(|status| !status.zombie)
}

/// A process, as `/proc/ID/stat` has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ProcessStatus {
    pub(super) group: u32,
    pub(super) started_ticks: u64,
    /// It has ended, and nobody has asked how.
    pub(super) zombie: bool,
}

pub(super) fn status(id: u32) -> Option<ProcessStatus> {
    parse(&fs::read_to_string(format!("/proc/{id}/stat")).ok()?)
}

/// Whether the environment with which a process started has this `NAME=value`.
pub(super) fn has_variable(id: u32, variable: &str) -> bool {
    let Ok(environment) = fs::read(format!("/proc/{id}/environ")) else { return false };
    environment.split(|byte| *byte == 0).any(|one| one == variable.as_bytes())
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
        assert_eq!(parse(stat), Some(ProcessStatus { group: 40, started_ticks: 987_654, zombie: false }));
        assert_eq!(parse("42 (a"), None);
    }

    #[test]
    fn this_process_can_be_seen() {
        let id = std::process::id();
        assert!(processes().contains(&id));
        assert!(started_ticks(id).is_some_and(|ticks| ticks > 0));
        assert!(boot_id().is_ok_and(|id| id.len() == 36));
    }
}
