//! The command line as people use it: run, bounded in time, and looked at.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Seek, Write};
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use crate::{binary, processes, seed, wait};

/// A command that nobody gave another bound ends within this time.
const WITHIN: Duration = Duration::from_mins(2);

/// A call of `antfarm`.
#[derive(Debug)]
pub struct Command {
    command: std::process::Command,
    within: Duration,
}

/// A call that goes on. Dropping it kills it.
#[derive(Debug)]
pub struct Running {
    child: Child,
    shown: String,
    stdout: File,
    stderr: File,
    deadline: Instant,
}

/// What a call came to.
#[derive(Debug, Clone)]
pub struct Finished {
    /// The call, for messages.
    pub shown: String,
    /// The exit status; nothing after a signal.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// How long it took.
    pub took: Duration,
}

impl Command {
    /// `antfarm` with these arguments.
    pub fn antfarm<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Self {
        let mut command = std::process::Command::new(binary());
        command.args(arguments).stdin(Stdio::null()).env_remove("ANTFARM_SERVER").env_remove("ANTFARM_TOKEN");
        Self { command, within: WITHIN }
    }

    /// With an environment variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// In another folder than the test's.
    #[must_use]
    pub fn in_folder(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// With a text as its standard input.
    #[must_use]
    pub fn stdin(mut self, text: &str) -> Self {
        let mut file = tempfile::tempfile().expect("a temporary file can be made");
        file.write_all(text.as_bytes()).and_then(|()| file.rewind()).expect("it can be written");
        self.command.stdin(file);
        self
    }

    /// With another bound of its time.
    #[must_use]
    pub fn within(mut self, within: Duration) -> Self {
        self.within = within;
        self
    }

    /// Starts it, in a process group of its own.
    pub fn start(mut self) -> Running {
        let file = || tempfile::tempfile().expect("a temporary file can be made");
        let (stdout, stderr) = (file(), file());
        let copy = |file: &File| file.try_clone().expect("a file can be opened twice");
        self.command.stdout(copy(&stdout)).stderr(copy(&stderr)).process_group(0);
        let shown = self.command.get_args().map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ");
        let child = self.command.spawn().expect("the binary can be run");
        Running { child, shown, stdout, stderr, deadline: Instant::now() + self.within }
    }

    /// Runs it to its end.
    pub fn run(self) -> Finished {
        self.start().finish()
    }
}

impl Running {
    /// Its pid.
    pub fn pid(&self) -> i32 {
        self.child.id().cast_signed()
    }

    /// What it has written to standard output so far.
    pub fn stdout(&self) -> String {
        read(&self.stdout)
    }

    /// What it has written to standard error so far.
    pub fn stderr(&self) -> String {
        read(&self.stderr)
    }

    /// Ctrl-C.
    pub fn interrupt(&self) {
        processes::signal(self.pid(), Signal::INT);
    }

    /// SIGKILL.
    pub fn kill(&mut self) {
        self.child.kill().expect("an own child can be killed");
        self.child.wait().expect("an own child can be waited for");
    }

    /// Waits until it ends.
    pub fn finish(mut self) -> Finished {
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("an own child can be waited for") {
                break status;
            }
            if Instant::now() >= self.deadline {
                let (shown, out, err) = (self.shown.clone(), self.stdout(), self.stderr());
                panic!("`antfarm {shown}` did not end in time; ANTFARM_SEED={}\n{out}\n{err}", seed());
            }
            std::thread::sleep(wait::PAUSE);
        };
        let took = begun.elapsed();
        let (shown, stdout, stderr) = (self.shown.clone(), self.stdout(), self.stderr());
        Finished { shown, code: status.code(), stdout, stderr, took }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it has ended by itself, most of the time
        let _ = self.child.wait();
    }
}

/// Reads a file that the child may be writing, whose place in it must not move.
fn read(file: &File) -> String {
    let length = file.metadata().map_or(0, |metadata| metadata.len());
    let mut bytes = vec![0; usize::try_from(length).expect("an output fits into memory")];
    file.read_exact_at(&mut bytes, 0).expect("a temporary file can be read");
    String::from_utf8_lossy(&bytes).into_owned()
}

impl Finished {
    /// Asserts that it ended with this exit status.
    #[must_use]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(
            self.code,
            Some(code),
            "the exit status of `antfarm {}`\n{}\n{}",
            self.shown,
            self.stdout,
            self.stderr
        );
        self
    }

    /// Standard output as one JSON document.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| {
            panic!("`antfarm {}` wrote no JSON: {error}\n{}\n{}", self.shown, self.stdout, self.stderr)
        })
    }
}
