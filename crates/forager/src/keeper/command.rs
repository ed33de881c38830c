//! How a keeper is started.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::{Child, Command};

use crate::keeper::KeeperError;
use crate::process::{ProcessMark, SENTRY_VARIABLE};

/// The program that runs now, even if its file was replaced by a newer one: the sentries of a keeper, and the keeper of a
/// forager, are of the same version.
pub(super) const THIS_PROGRAM: &str = "/proc/self/exe";

/// The name under which `ps` shows it.
const NAME: &str = "antfarm";

/// The program that is a keeper when it is called as `PROGRAM keeper --data FOLDER [--exit-with NUMBER:TICKS]`, and a sentry
/// when it is called as `PROGRAM sentry FOLDER`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeeperCommand {
    /// The program.
    pub program: PathBuf,
    /// The keeper ends, with all that it keeps, when this process does.
    pub exit_with: Option<ProcessMark>,
}

impl KeeperCommand {
    /// The program that runs now. The keeper outlives its forager.
    pub fn this_program() -> Self {
        Self { program: THIS_PROGRAM.into(), exit_with: None }
    }

    /// Starts a keeper of a data folder, which writes what it has to say to this file.
    ///
    /// It stays in the caller's process group until it makes a session of its own, which a leader of a group could not.
    pub(super) fn spawn(&self, data: &Path, log: std::fs::File) -> Result<Child, KeeperError> {
        let mut command = Command::new(&self.program);
        command.arg0(NAME).args(["keeper", "--data"]).arg(data);
        if let Some(process) = self.exit_with {
            command.arg("--exit-with").arg(process.to_string());
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        command.spawn().map_err(|source| KeeperError::Program { program: self.program.clone(), source })
    }
}

/// A command that starts a sentry. Its environment says for which attempt, or that it guards one after the other, to whoever
/// looks for it when keeper and forager are gone; the folder, in which its first attempt works, says whose it is to people.
pub(super) fn sentry(folder: &Path, mark: u64) -> Command {
    let mut command = Command::new(THIS_PROGRAM);
    command.arg0(NAME).arg("sentry").arg(folder).env_clear().env(SENTRY_VARIABLE, format!("{mark:016x}"));
    command
}
