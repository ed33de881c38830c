//! One child process of a development cluster: how it is started, and how it ends.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use anyhow::Context;
use rustix::process::{Pid, Signal, kill_process};
use tokio::process::{Child, ChildStderr, ChildStdin, Command};
use tokio::time::{sleep, timeout};

use crate::daemon;

/// For this long a child may end by itself after SIGTERM.
const TERM_GRACE: Duration = Duration::from_secs(5);
/// For this long it may end once its standard input is closed; then it is killed.
const EOF_GRACE: Duration = Duration::from_secs(4);

/// Lines of a log that are shown when its process died, and the bytes in which they are looked for.
const LAST_LINES: usize = 8;
const LAST_BYTES: u64 = 4 << 10;

/// How a child is started.
#[derive(Debug, Clone)]
pub(crate) struct Spec {
    /// `queen-1`, `forager-2`.
    pub(crate) name: String,
    /// `queen` or `forager`.
    pub(crate) role: &'static str,
    /// Its configuration.
    pub(crate) config: PathBuf,
    /// Where its standard error goes.
    pub(crate) log: PathBuf,
}

/// A child that runs. Dropping it kills it.
pub(crate) struct Running {
    child: Child,
    pid: Pid,
    /// The child ends when this is closed, so it never outlives us, however we end.
    stdin: Option<ChildStdin>,
}

impl Spec {
    /// Starts the process: this program under the name `antfarm`, in a process group of its own, so that Ctrl-C reaches
    /// only us.
    pub(crate) fn start(&self) -> anyhow::Result<Running> {
        self.start_with(self.open_log()?, None)
    }

    /// As [`Spec::start_logging`] with what is there by default, the log going into a pipe.
    pub(crate) fn start_piped(&self) -> anyhow::Result<Running> {
        self.start_with(Stdio::piped(), Some(daemon::LOG))
    }

    /// As [`Spec::start`], with this in the log, in the form of `RUST_LOG`, and with times of `CLOCK_MONOTONIC`.
    pub(crate) fn start_logging(&self, filter: &str) -> anyhow::Result<Running> {
        self.start_with(self.open_log()?, Some(filter))
    }

    fn open_log(&self) -> anyhow::Result<Stdio> {
        let log = OpenOptions::new().create(true).append(true).open(&self.log);
        Ok(log.with_context(|| format!("the log {} cannot be opened", self.log.display()))?.into())
    }

    fn start_with(&self, log: Stdio, filter: Option<&str>) -> anyhow::Result<Running> {
        let program = std::env::current_exe().context("the path of this program is unknown")?;
        let mut command = Command::new(program);
        command.arg0("antfarm").args([self.role, "run", "--config"]).arg(&self.config).arg("--exit-with-parent");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(log).process_group(0).kill_on_drop(true);
        if let Some(filter) = filter {
            command.env("RUST_LOG", filter).env(daemon::LOG_MONOTONIC, "1");
        }
        let mut child = command.spawn().with_context(|| format!("{} cannot be started", self.name))?;
        let pid = child.id().and_then(|id| Pid::from_raw(id.cast_signed())).context("a new child has a pid")?;
        let stdin = child.stdin.take();
        Ok(Running { child, pid, stdin })
    }

    /// The last lines of the log, indented, each with a line break before it; nothing, if there are none.
    pub(crate) fn last_lines(&self) -> String {
        let text = File::open(&self.log).and_then(|mut file| {
            let length = file.metadata()?.len();
            file.seek(SeekFrom::Start(length.saturating_sub(LAST_BYTES)))?;
            let mut bytes = Vec::new();
            file.take(LAST_BYTES).read_to_end(&mut bytes)?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        });
        let text = text.unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        let last = &lines[lines.len().saturating_sub(LAST_LINES)..];
        last.iter().flat_map(|line| ["\n    ", line]).collect()
    }
}

impl Running {
    pub(crate) fn pid(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
    }

    /// The log, if it was started with a pipe for it.
    pub(crate) fn take_log(&mut self) -> Option<ChildStderr> {
        self.child.stderr.take()
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: Signal) -> anyhow::Result<()> {
        kill_process(self.pid, signal).with_context(|| format!("process {} cannot be signalled", self.pid()))
    }

    /// Waits until it ends.
    pub(crate) async fn wait(&mut self) -> ExitStatus {
        self.child.wait().await.unwrap_or_else(|_| ExitStatus::from_raw(0)) // only a child that we took before has none
    }

    /// Lets it end: by asking, after a while by closing its standard input, at last by force. Does not wait for the first
    /// once `hurry` is done.
    pub(crate) async fn stop(mut self, hurry: impl Future<Output = ()>) {
        let _ = kill_process(self.pid, Signal::TERM); // it may have ended by itself
        tokio::select! {
            _ = self.child.wait() => return,
            () = sleep(TERM_GRACE) => {}
            () = hurry => {}
        }
        drop(self.stdin.take());
        if timeout(EOF_GRACE, self.child.wait()).await.is_err() {
            let _ = self.child.kill().await; // fails only if it has ended
        }
    }
}

/// Whether somebody ended it from outside, so that its log cannot tell why.
pub(crate) fn was_told_to_end(status: ExitStatus) -> bool {
    let told = [Signal::KILL, Signal::TERM, Signal::INT];
    status.signal().is_some_and(|signal| told.iter().any(|one| one.as_raw() == signal))
}

/// What an end was, as the end of a sentence.
pub(crate) fn how(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("was killed by signal {signal}"),
        (None, Some(code)) => format!("ended with exit status {code}"),
        (None, None) => "ended".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_told_as_what_it_was() {
        assert!(was_told_to_end(ExitStatus::from_raw(9)));
        assert!(!was_told_to_end(ExitStatus::from_raw(6)));
        assert_eq!(how(ExitStatus::from_raw(9)), "was killed by signal 9");
        assert_eq!(how(ExitStatus::from_raw(3 << 8)), "ended with exit status 3");
    }

    #[test]
    fn only_the_last_lines_of_a_log_are_shown() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let log = folder.path().join("log");
        let spec = Spec { name: "queen-1".to_owned(), role: "queen", config: PathBuf::new(), log: log.clone() };
        assert_eq!(spec.last_lines(), "");
        let lines = crate::table::lines((0..10_000).map(|number| format!("line {number}")));
        std::fs::write(&log, lines).expect("a file");
        assert!(spec.last_lines().starts_with("\n    line 9992\n"));
        assert!(spec.last_lines().ends_with("\n    line 9999"));
    }
}
