//! Starting the program.

use std::ffi::{CString, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::process::Pid;

use crate::keeper::descriptors::DESCRIPTORS;
use crate::keeper::wire::Environment;

/// A program that is to be started.
pub(super) struct Program {
    pub(super) command: Vec<String>,
    pub(super) environment: Environment,
    pub(super) folder: PathBuf,
    pub(super) input: String,
    /// Its standard output and its standard error.
    pub(super) pipes: [OwnedFd; DESCRIPTORS],
}

impl Program {
    /// Starts it as the leader of a process group. Nobody else has the pipes afterwards. The error is for people.
    pub(super) fn spawn(self) -> Result<Pid, String> {
        let Some((path, arguments)) = self.command.split_first() else { return Err("its command is empty".into()) };
        let input = file_of(&self.input).map_err(|error| format!("its arguments could not be laid out: {error}"))?;
        let text = |text: CString| OsString::from_vec(text.into_bytes());
        let environment = self.environment.into_iter().map(|(name, value)| (text(name), text(value)));
        let [stdout, stderr] = self.pipes;
        let mut program = Command::new(path);
        program.args(arguments).current_dir(self.folder).process_group(0).env_clear().envs(environment);
        program.stdin(input).stdout(stdout).stderr(stderr);
        let child = program.spawn().map_err(|error| explain(path, &error))?;
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        // Whoever reaps all children reaps this one, too.
        pid.ok_or_else(|| "it has a number that is none".into())
    }
}

/// A file in memory, so that neither side of a pipe waits for the other.
fn file_of(text: &str) -> io::Result<File> {
    let file = File::from(memfd_create("args", MemfdFlags::CLOEXEC)?);
    file.write_all_at(text.as_bytes(), 0)?; // whoever reads begins at the beginning
    Ok(file)
}

fn explain(path: &str, error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::NotFound {
        format!(
            "the program {path} does not exist, or the interpreter that its first line names: correct `command` of the \
             tool in the forager's configuration"
        )
    } else if error.kind() == io::ErrorKind::PermissionDenied {
        format!("the program {path} is not executable: set its x permission (chmod +x)")
    } else {
        format!("the program {path} could not be started: {error}")
    }
}
