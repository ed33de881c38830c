//! A development cluster as people start one: `antfarm dev` in a folder of its own, with what else is asked of it.

use std::time::Duration;

use antfarm_testkit::{
    Command, Http, Ports, Running, Scratch, Turn, child_processes, is_alive, processes_in, wait_until,
};
use anyhow::ensure;

use crate::given::SOON;

/// Whatever a test does with it is done within this time.
const WITHIN: Duration = Duration::from_mins(4);

/// A development cluster in a temporary folder. Its processes end with it.
pub(crate) struct Dev {
    pub(crate) running: Running,
    pub(crate) scratch: Scratch,
    pub(crate) ports: Ports,
    _turn: Turn,
}

impl Dev {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let (turn, ports) = (Turn::take(), Ports::take());
        let scratch = Scratch::new();
        let base = ports.base().to_string();
        let always = ["dev", "--base-port", &base, "--dir", scratch.folder().to_str().expect("UTF-8")];
        let command = Command::antfarm(always.iter().chain(arguments)).within(WITHIN);
        Self { running: command.start(), scratch, ports, _turn: turn }
    }

    /// Where everything of it is.
    pub(crate) fn folder(&self) -> String {
        self.scratch.folder().to_str().expect("UTF-8").to_owned()
    }

    /// A call of `antfarm` that finds it.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        Command::antfarm(arguments).env("ANTFARM_SERVER", &servers(&self.ports))
    }

    /// Waits until all six children run and a queen is ready; returns their pids.
    pub(crate) fn is_up(&self) -> Vec<i32> {
        wait_until("a development cluster that is ready", SOON, || {
            let children = self.children();
            ensure!(children.len() == 6, "its children are {children:?}");
            let answer = Http::at(self.ports.http(1)).get("/readyz")?;
            ensure!(answer.status == 200, "{}", answer.body);
            Ok(children.into_iter().map(|(pid, _)| pid).collect())
        })
    }

    pub(crate) fn children(&self) -> Vec<(i32, String)> {
        child_processes(self.running.pid())
    }

    /// Waits until nothing of it runs any more.
    pub(crate) fn is_gone(&self, pids: &[i32]) {
        wait_until("every child to end", SOON, || {
            let alive: Vec<i32> = pids.iter().copied().filter(|pid| is_alive(*pid)).collect();
            ensure!(alive.is_empty(), "{alive:?} run");
            let left = processes_in(self.scratch.folder());
            ensure!(left.is_empty(), "{left:?} run in the folder of the cluster");
            Ok(())
        });
    }
}

/// What `ANTFARM_SERVER` must be to find the three queens at these ports.
pub(crate) fn servers(ports: &Ports) -> String {
    (1..=3).map(|queen| format!("http://{}", ports.http(queen))).collect::<Vec<_>>().join(",")
}
