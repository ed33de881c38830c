//! Keeps the children of a development cluster running, and tells of each that dies.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::child::{Running, Spec, how, was_told_to_end};
use crate::console::Console;
use crate::interrupts::Interrupts;

/// The wait before a child that died is started again.
const RESTART_AFTER: Duration = Duration::from_secs(2);

/// The pid of each child that runs, by name. A clone shows the same.
#[derive(Clone, Default)]
pub(crate) struct Pids(Arc<Mutex<BTreeMap<String, i32>>>);

/// Children that are stopped together.
pub(crate) struct Group {
    stopping: watch::Sender<bool>,
    tasks: Vec<JoinHandle<()>>,
}

impl Group {
    /// Starts all children. One that dies is started again, if `restart`.
    pub(crate) fn start(specs: Vec<Spec>, restart: bool, surroundings: &Surroundings) -> anyhow::Result<Self> {
        let stopping = watch::Sender::new(false);
        let mut tasks = Vec::new();
        for spec in specs {
            let running = spec.start()?;
            surroundings.pids.set(&spec.name, Some(running.pid()));
            let minder = Minder { spec, restart, around: surroundings.clone(), stopping: stopping.subscribe() };
            tasks.push(tokio::spawn(minder.mind(running)));
        }
        Ok(Self { stopping, tasks })
    }

    /// Lets all end, and waits until they have.
    pub(crate) async fn stop(self) {
        self.stopping.send_replace(true);
        for task in self.tasks {
            let _ = task.await; // fails only if the minder panicked, and then this process aborted
        }
    }
}

/// What all children of a cluster share.
#[derive(Clone)]
pub(crate) struct Surroundings {
    pub(crate) pids: Pids,
    pub(crate) console: Console,
    pub(crate) interrupts: Interrupts,
}

/// Minds one child.
struct Minder {
    spec: Spec,
    restart: bool,
    around: Surroundings,
    stopping: watch::Receiver<bool>,
}

impl Minder {
    async fn mind(mut self, first: Running) {
        let mut next = Some(first);
        while let Some(running) = next.take() {
            if !self.watch(running).await || !self.restart {
                break;
            }
            next = self.start_again().await;
        }
        self.around.pids.set(&self.spec.name, None);
    }

    /// Waits until the child is dead. False if that was wanted.
    async fn watch(&mut self, mut running: Running) -> bool {
        let pid = running.pid();
        let status = tokio::select! {
            status = running.wait() => Some(status),
            _ = self.stopping.wait_for(|stopping| *stopping) => None,
        };
        let Some(status) = status else {
            running.stop(self.around.interrupts.reach(2)).await;
            return false;
        };
        self.around.pids.set(&self.spec.name, None);
        self.announce(pid, status);
        true
    }

    fn announce(&self, pid: i32, status: ExitStatus) {
        let Spec { name, log, .. } = &self.spec;
        let next = if self.restart {
            format!("starting it again in {} s", RESTART_AFTER.as_secs())
        } else {
            "it stays down (--no-restart)".to_owned()
        };
        let mut text = format!("{name} (pid {pid}) {}; {next}", how(status));
        let lines = if was_told_to_end(status) { String::new() } else { self.spec.last_lines() };
        if !lines.is_empty() {
            let _ = write!(text, "\n  its last lines in {}:{lines}", log.display()); // a String takes all
        }
        self.around.console.tell(&text);
    }

    /// Starts the child after the wait; nothing, if the end came first.
    async fn start_again(&mut self) -> Option<Running> {
        loop {
            tokio::select! {
                () = tokio::time::sleep(RESTART_AFTER) => {}
                _ = self.stopping.wait_for(|stopping| *stopping) => return None,
            }
            let name = &self.spec.name;
            match self.spec.start() {
                Ok(running) => {
                    self.around.pids.set(name, Some(running.pid()));
                    self.around.console.tell(&format!("{name} (pid {}) runs again", running.pid()));
                    return Some(running);
                }
                Err(error) => self.around.console.tell(&format!("{name} does not start: {error:#}; trying again")),
            }
        }
    }
}

impl Pids {
    fn set(&self, name: &str, pid: Option<i32>) {
        let mut pids = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match pid {
            Some(pid) => pids.insert(name.to_owned(), pid),
            None => pids.remove(name),
        };
    }

    /// The pid of a child, if it runs.
    pub(crate) fn of(&self, name: &str) -> Option<i32> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(name).copied()
    }
}
