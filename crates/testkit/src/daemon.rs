//! One process of a cluster: started, killed, paused, stopped, started again.

use std::fs::OpenOptions;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Context;
use rustix::process::Signal;

use crate::{binary, processes, wait_until};

/// A daemon that drains has this long.
const STOP_WITHIN: Duration = Duration::from_mins(1);

/// A queen or a forager as a process. Dropping it kills it.
#[derive(Debug)]
pub struct Daemon {
    name: String,
    role: &'static str,
    config: PathBuf,
    log: PathBuf,
    child: Mutex<Option<Child>>,
}

impl Daemon {
    /// A daemon that does not run yet. `role` is `queen` or `forager`.
    pub(crate) fn new(name: String, role: &'static str, config: PathBuf) -> Self {
        let log = config.with_extension("log");
        Self { name, role, config, log, child: Mutex::new(None) }
    }

    /// `queen-1`, `forager-2`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The process that runs.
    pub fn pid(&self) -> i32 {
        self.child().as_ref().unwrap_or_else(|| panic!("{} does not run", self.name)).id().cast_signed()
    }

    /// Whether there is a process, and it is not paused.
    pub fn runs(&self) -> bool {
        let child = self.child();
        child
            .as_ref()
            .and_then(|child| processes::state(child.id().cast_signed()))
            .is_some_and(|state| !"TZ".contains(state))
    }

    /// What it has written to its log, over all its lives.
    pub fn log(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(&self.log).unwrap_or_default()).into_owned()
    }

    /// Starts the process; it must not run.
    pub fn start(&self) {
        let mut child = self.child();
        assert!(child.is_none(), "{} runs already", self.name);
        let log = OpenOptions::new().create(true).append(true).open(&self.log).expect("its folder can be written");
        let mut command = Command::new(binary());
        command.args([self.role, "run", "--config"]).arg(&self.config);
        // Its standard input closes when this process ends, however it ends; then the daemon ends, too.
        command.arg("--exit-with-parent").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(log);
        command.process_group(0).env("RUST_BACKTRACE", "1");
        *child = Some(command.spawn().expect("the binary can be run"));
    }

    /// SIGKILL: no chance to say or write anything.
    pub fn kill(&self) {
        let mut child = self.child().take().unwrap_or_else(|| panic!("{} does not run", self.name));
        child.kill().expect("an own child can be killed");
        child.wait().expect("an own child can be waited for");
    }

    /// SIGKILL, and a new process in the same moment.
    pub fn kill_and_restart(&self) {
        self.kill();
        self.start();
    }

    /// SIGSTOP: it does nothing any more and does not know it. Returns when it stands still.
    pub fn pause(&self) {
        processes::pause(self.pid());
    }

    /// SIGCONT.
    pub fn resume(&self) {
        processes::resume(self.pid());
    }

    /// SIGTERM, and waits until it has ended as it wants to.
    pub fn stop(&self) -> ExitStatus {
        self.stop_by(Signal::TERM)
    }

    /// SIGHUP, and waits until it has handed over and ended.
    pub fn hang_up(&self) -> ExitStatus {
        self.stop_by(Signal::HUP)
    }

    /// SIGKILL, if there is a process.
    pub(crate) fn end(&self) {
        if let Some(mut child) = self.child().take() {
            let _ = child.kill(); // it may have ended by itself
            let _ = child.wait();
        }
    }

    fn stop_by(&self, signal: Signal) -> ExitStatus {
        processes::signal(self.pid(), signal);
        let status = wait_until(&format!("{} to stop after {signal:?}", self.name), STOP_WITHIN, || {
            let status = self.child().as_mut().context("it runs")?.try_wait()?;
            status.context("it still runs")
        });
        *self.child() = None;
        status
    }

    fn child(&self) -> MutexGuard<'_, Option<Child>> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.end();
    }
}
