//! A network namespace: made, wired, entered, removed.

use std::fs::File;
use std::net::Ipv4Addr;
use std::os::fd::AsFd;
use std::process::Command;

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use super::system::ip;
use crate::kill;

/// Where `ip` keeps the names.
pub(super) const FOLDER: &str = "/var/run/netns";

/// Processes of a namespace are looked for and killed this often: one may be starting another meanwhile.
const ROUNDS_OF_KILLING: usize = 20;

/// A network namespace with a name. Dropping it kills what runs in it, and removes it with its links and rules.
#[derive(Debug)]
pub(super) struct Namespace(String);

impl Namespace {
    /// A new one, with nothing but loopback.
    pub(super) fn create(name: String) -> anyhow::Result<Self> {
        ip(&format!("netns add {name}"))?;
        let namespace = Self(name);
        namespace.configure(&["link set lo up"])?;
        Ok(namespace)
    }

    /// One that somebody else made, to be removed.
    pub(super) fn adopt(name: String) -> Self {
        Self(name)
    }

    #[cfg(test)]
    pub(super) fn name(&self) -> &str {
        &self.0
    }

    /// Runs `ip` in it, once for each line.
    pub(super) fn configure(&self, lines: &[&str]) -> anyhow::Result<()> {
        lines.iter().try_for_each(|line| ip(&format!("-n {} {line}", self.0)).map(drop))
    }

    /// Lays a cable to a switch, and takes an address.
    pub(super) fn plug_into(&self, switch: &Self, port: u8, address: Ipv4Addr) -> anyhow::Result<()> {
        switch.configure(&[
            &format!("link add port{port} type veth peer name eth0 netns {}", self.0),
            &format!("link set port{port} master bridge up"),
        ])?;
        self.configure(&[&format!("address add {address}/24 dev eth0"), "link set eth0 up"])
    }

    /// The command that runs a program in it. `ip` becomes the program, so the pid is its own.
    pub(super) fn command(&self, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.0, program]);
        command
    }

    /// Runs a function on a thread in it.
    pub(super) fn inside<T: Send>(&self, run: impl FnOnce() -> T + Send) -> T {
        let entered = || {
            let namespace = File::open(format!("{FOLDER}/{}", self.0)).expect("a namespace has a file");
            move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network))
                .expect("root may enter a namespace");
            run()
        };
        let ended = std::thread::scope(|scope| scope.spawn(entered).join());
        ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    fn processes(&self) -> Vec<i32> {
        let pids = ip(&format!("netns pids {}", self.0)).unwrap_or_default(); // it is gone
        pids.lines().filter_map(|line| line.trim().parse().ok()).collect()
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        for _ in 0..ROUNDS_OF_KILLING {
            let processes = self.processes();
            if processes.is_empty() {
                break;
            }
            processes.into_iter().for_each(kill);
        }
        let _ = ip(&format!("netns delete {}", self.0)); // two tests may sweep up the same
    }
}
