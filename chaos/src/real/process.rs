//! One process of a cluster: started, killed, stopped, looked at. Each of its lives has a log of its own.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use antfarm_testkit::{signal, state};
use anyhow::{Context, ensure};
use rustix::process::Signal;

/// A signal takes effect within this time.
const SIGNAL_WITHIN: Duration = Duration::from_secs(5);

/// Between two looks at it.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// A queen or a forager. Dropping it kills it.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) name: String,
    role: &'static str,
    config: PathBuf,
    /// How often it was started.
    lives: AtomicU32,
    child: Mutex<Option<Child>>,
}

impl Process {
    /// One that does not run yet.
    pub(super) fn new(name: String, role: &'static str, config: PathBuf) -> Self {
        Self { name, role, config, lives: AtomicU32::new(0), child: Mutex::new(None) }
    }

    /// How often it was started; 0 before the first time.
    pub(super) fn life(&self) -> u32 {
        self.lives.load(Ordering::Acquire)
    }

    /// The log of one of its lives.
    pub(super) fn log(&self, life: u32) -> PathBuf {
        self.config.with_file_name(format!("{}.{life}.log", self.name))
    }

    /// Starts it with a command that runs the binary; it must not run.
    pub(super) fn start(&self, mut command: Command) -> anyhow::Result<i32> {
        let mut child = self.child();
        ensure!(child.is_none(), "{} runs already", self.name);
        let life = self.life() + 1;
        let log = File::create(self.log(life)).with_context(|| format!("the log of {} cannot be made", self.name))?;
        command.args([self.role, "run", "--config"]).arg(&self.config);
        // Its standard input closes when this process ends, however it ends; then the daemon ends, too.
        command.arg("--exit-with-parent").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(log);
        command.process_group(0).env("RUST_BACKTRACE", "1");
        let started = command.spawn().with_context(|| format!("{} cannot be started", self.name))?;
        let pid = started.id().cast_signed();
        *child = Some(started);
        self.lives.store(life, Ordering::Release);
        Ok(pid)
    }

    /// SIGKILL. The pid that it had; nothing if it does not run.
    pub(super) fn kill(&self) -> anyhow::Result<Option<i32>> {
        let Some(mut child) = self.child().take() else { return Ok(None) };
        child.kill()?;
        child.wait()?;
        Ok(Some(child.id().cast_signed()))
    }

    /// SIGSTOP, and waits until it stands still. Its pid; nothing if it does not run.
    pub(super) fn pause(&self) -> anyhow::Result<Option<i32>> {
        let Some(pid) = self.pid() else { return Ok(None) };
        signal(pid, Signal::STOP);
        let until = Instant::now() + SIGNAL_WITHIN;
        while state(pid) != Some('T') {
            ensure!(Instant::now() < until, "{} does not stand still after SIGSTOP: {:?}", self.name, state(pid));
            std::thread::sleep(LOOK_EVERY);
        }
        Ok(Some(pid))
    }

    /// SIGCONT.
    pub(super) fn resume(&self) {
        if let Some(pid) = self.pid() {
            signal(pid, Signal::CONT);
        }
    }

    /// What it holds in memory, in KiB; nothing if it does not run.
    pub(super) fn memory_kib(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid()?)).ok()?;
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        resident.trim().strip_suffix(" kB")?.parse().ok()
    }

    /// How it ended, if it did so by itself. It is told once.
    pub(super) fn death(&self) -> anyhow::Result<Option<ExitStatus>> {
        let mut child = self.child();
        let Some(status) = child.as_mut().map(Child::try_wait).transpose()?.flatten() else { return Ok(None) };
        *child = None;
        Ok(Some(status))
    }

    fn pid(&self) -> Option<i32> {
        self.child().as_ref().map(|child| child.id().cast_signed())
    }

    fn child(&self) -> MutexGuard<'_, Option<Child>> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.kill(); // it may have ended by itself
    }
}

/// The configuration of a process in a folder.
pub(super) fn config_path(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.toml"))
}
