//! The CPU time of processes and of what they started, as `/proc` tells it.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use anyhow::Context;

/// Of all processes of the machine, at a moment.
pub(super) struct CpuTimes(BTreeMap<i32, Process>);

struct Process {
    parent: i32,
    /// Its own, and that of its children that have ended.
    ticks: u64,
}

impl CpuTimes {
    pub(super) fn now() -> anyhow::Result<Self> {
        let entries = fs::read_dir("/proc").context("the processes of this machine cannot be seen")?;
        let processes = entries.filter_map(|entry| {
            let entry = entry.ok()?;
            let id = entry.file_name().to_str()?.parse().ok()?;
            // It may have ended meanwhile; then its parent has its time.
            Some((id, parse(&fs::read_to_string(entry.path().join("stat")).ok()?)?))
        });
        Ok(Self(processes.collect()))
    }

    /// Of a process and all that descend from it, in so far as they have not left their parents.
    pub(super) fn of(&self, process: i32) -> Duration {
        /// In a second: so the kernel has it, whatever its own clock is.
        const TICKS: u64 = 100;
        Duration::from_millis(self.ticks(process) * 1_000 / TICKS)
    }

    fn ticks(&self, process: i32) -> u64 {
        let children = self.0.iter().filter(|(_, one)| one.parent == process);
        self.0.get(&process).map_or(0, |one| one.ticks) + children.map(|(child, _)| self.ticks(*child)).sum::<u64>()
    }
}

/// Reads `/proc/ID/stat`. The name, in parentheses, may hold anything; the fields that count follow its last parenthesis.
fn parse(stat: &str) -> Option<Process> {
    let (_, fields) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
    let field = |number: usize| fields.get(number - 3).copied();
    let ticks = (14..=17).map(|number| field(number)?.parse::<u64>().ok()).sum::<Option<u64>>()?;
    Some(Process { parent: field(4)?.parse().ok()?, ticks })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_process_is_that_of_all_that_it_started() {
        let stat = |parent, ticks| format!("42 (a) b) S {parent} 40 40 0 -1 0 1 0 0 0 {ticks} 20 0 1 0 9 0 0");
        let lines =
            [(7, stat(1, "10 5 200 0")), (8, stat(7, "1 1 0 0")), (9, stat(8, "0 0 0 3")), (10, stat(1, "9 9 9 9"))];
        let times = CpuTimes(lines.iter().filter_map(|(id, line)| Some((*id, parse(line)?))).collect());
        assert_eq!(times.of(7), Duration::from_millis(2_200));
        assert_eq!(times.of(11), Duration::ZERO, "nobody knows it");
    }

    #[test]
    fn this_process_has_used_some() {
        let mut sum = 0_u64;
        while CpuTimes::now().is_ok_and(|times| times.of(std::process::id().cast_signed()).is_zero()) {
            sum = (0..100_000).fold(sum, |sum, number| sum.rotate_left(1) ^ number); // until a tick has passed
        }
        assert_ne!(sum, 1);
    }
}
