//! The programs that make networks, run to their end.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};

/// Runs a command that must succeed, and returns its standard output.
pub(super) fn run(command: &mut Command) -> anyhow::Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let arguments = command.get_args().map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ");
    let output = command.stdin(Stdio::null()).output();
    let output =
        output.with_context(|| format!("`{program}` cannot be run; iproute2 and iptables must be installed"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "`{program} {arguments}` failed ({}): {}", output.status, said.trim_end());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs `ip` with these words.
pub(super) fn ip(words: &str) -> anyhow::Result<String> {
    run(Command::new("ip").args(words.split_whitespace()))
}
