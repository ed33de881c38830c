//! How much memory a process ever had.

use std::fs;

use anyhow::Context;

/// The most memory that a process ever had, in MiB, by what the kernel says.
pub(crate) fn peak_mib(pid: i32) -> u64 {
    let read = || -> anyhow::Result<u64> {
        let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no VmHWM")?;
        let kib: u64 = line.trim().trim_end_matches(" kB").parse()?;
        Ok(kib >> 10)
    };
    read().unwrap_or_else(|error| panic!("the memory of process {pid} cannot be read: {error:#}"))
}
