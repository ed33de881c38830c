//! Where processes run: each on a host of its own, or all on loopback.

use std::net::SocketAddr;
use std::process::Command;

use antfarm_testkit::{Hosts, Ports, binary};

/// Ports of queens that have a host of their own.
const HTTP_PORT: u16 = 7_101;
const RAFT_PORT: u16 = 7_201;

/// The host from which clients ask and readers read. No fault cuts it off.
const CLIENTS: &str = "clients";

/// Where processes run.
pub(super) enum Network {
    /// Each on a host of its own.
    Hosts(Hosts),
    /// All on loopback.
    Loopback(Ports),
}

impl Network {
    /// Hosts with these names, where there can be hosts.
    pub(super) fn new(names: &[String]) -> Self {
        if Hosts::available().is_err() {
            return Self::Loopback(Ports::take());
        }
        let names: Vec<&str> = names.iter().map(String::as_str).chain([CLIENTS]).collect();
        Self::Hosts(Hosts::new(&names))
    }

    /// Where a queen takes requests.
    pub(super) fn http(&self, queen: u16) -> SocketAddr {
        match self {
            Self::Hosts(hosts) => (hosts.address(&format!("queen-{queen}")), HTTP_PORT).into(),
            Self::Loopback(ports) => ports.http(queen),
        }
    }

    /// Where it hears its peers.
    pub(super) fn raft(&self, queen: u16) -> SocketAddr {
        match self {
            Self::Hosts(hosts) => (hosts.address(&format!("queen-{queen}")), RAFT_PORT).into(),
            Self::Loopback(ports) => ports.raft(queen),
        }
    }

    /// The command that runs the binary there.
    pub(super) fn command(&self, name: &str) -> Command {
        match self {
            Self::Hosts(hosts) => hosts.command(name, &binary().to_string_lossy()),
            Self::Loopback(_) => Command::new(binary()),
        }
    }

    /// The hosts, if there are any.
    pub(super) fn hosts(&self) -> Option<&Hosts> {
        match self {
            Self::Hosts(hosts) => Some(hosts),
            Self::Loopback(_) => None,
        }
    }

    /// Runs something where clients are. Threads that it starts are there, too.
    pub(super) fn among_clients<T: Send>(&self, run: impl FnOnce() -> T + Send) -> T {
        match self {
            Self::Hosts(hosts) => hosts.inside(CLIENTS, run),
            Self::Loopback(_) => run(),
        }
    }
}
