//! Machines of their own on one network, which a test cuts off from each other and brings back.
//!
//! ```text
//!  antfarm-PID-N-queen-1    antfarm-PID-N-queen-2    …      a network namespace for each machine,
//!      eth0 10.0.0.1            eth0 10.0.0.2               its rules of iptables drop what it is not to hear
//!        │                        │
//!      port1 ─────── bridge ──── port2 ───────────── …      antfarm-PID-N-switch
//! ```
//!
//! Nothing of it is joined to this machine's own network: every [`Hosts`] has the addresses from 10.0.0.1 on, and two of
//! them do not see each other. Cuts are for IPv4, which is all that machines have. It needs root and the programs `ip`
//! and `iptables`; [`Hosts::or_skip`] says what is missing and lets the test go.

mod leftovers;
mod namespace;
mod rules;
mod system;
#[cfg(test)]
mod tests;

use std::io::Write;
use std::net::Ipv4Addr;
use std::process::Command;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use anyhow::{Context, ensure};

use namespace::Namespace;

/// Machines of one network; their addresses end in 1 to this.
pub const MAX_HOSTS: usize = 250;

/// Some machines on one network. Dropping it ends what runs on them, and leaves nothing behind.
#[derive(Debug)]
pub struct Hosts {
    // Dropped in this order: what runs on machines ends before the network between them.
    machines: Vec<Machine>,
    _switch: Namespace,
    /// What rules counted that are gone.
    dropped: AtomicU64,
    /// Held while rules change or are counted: between the reading of a counter and its removal nobody reads it again.
    rules: Mutex<()>,
}

#[derive(Debug)]
struct Machine {
    name: String,
    address: Ipv4Addr,
    namespace: Namespace,
}

impl Hosts {
    /// Whether this machine can be made to hold others; otherwise why not. Tried once.
    pub fn available() -> Result<(), String> {
        static TRIAL: OnceLock<Result<(), String>> = OnceLock::new();
        TRIAL.get_or_init(|| trial().map_err(|why| format!("{why:#}"))).clone()
    }

    /// Machines with these names, and the addresses 10.0.0.1, 10.0.0.2 and so on in their order; all can reach all.
    ///
    /// Panics where there can be none: see [`Hosts::available`].
    pub fn new(names: &[&str]) -> Self {
        leftovers::sweep();
        Self::build(names).unwrap_or_else(|why| panic!("no hosts can be made: {why:#}"))
    }

    /// The same; where there can be none, says so on standard error, past what captures the output of tests.
    pub fn or_skip(names: &[&str]) -> Option<Self> {
        match Self::available() {
            Ok(()) => Some(Self::new(names)),
            Err(why) => {
                let test = std::thread::current().name().unwrap_or("a test").to_owned();
                // In one piece, or those of other tests stand in between.
                let told = format!("\nSKIPPED {test}: no hosts can be made here: {why}\n");
                let _ = std::io::stderr().write_all(told.as_bytes());
                None
            }
        }
    }

    fn build(names: &[&str]) -> anyhow::Result<Self> {
        static NETWORKS: AtomicU32 = AtomicU32::new(0);
        ensure!(names.len() <= MAX_HOSTS, "{} hosts are wanted, and {MAX_HOSTS} fit into a network", names.len());
        let prefix = leftovers::prefix(std::process::id(), NETWORKS.fetch_add(1, Ordering::Relaxed));
        let switch = Namespace::create(format!("{prefix}switch"))?;
        switch.configure(&["link add bridge type bridge", "link set bridge up"])?;
        let mut machines = Vec::new();
        for (name, last) in names.iter().zip(1..) {
            let address = Ipv4Addr::new(10, 0, 0, last);
            let namespace = Namespace::create(format!("{prefix}host-{name}"))?;
            namespace.plug_into(&switch, last, address)?;
            machines.push(Machine { name: (*name).to_owned(), address, namespace });
        }
        Ok(Self { machines, _switch: switch, dropped: AtomicU64::new(0), rules: Mutex::new(()) })
    }

    /// The address of a machine.
    pub fn address(&self, name: &str) -> Ipv4Addr {
        self.machine(name).address
    }

    /// The command that runs a program on a machine. Its pid is the program's: nothing stands in between.
    pub fn command(&self, name: &str, program: &str) -> Command {
        self.machine(name).namespace.command(program)
    }

    /// Runs a function with the network of a machine: sockets that it opens are that machine's, wherever they are used
    /// afterwards. All else is as ever.
    pub fn inside<T: Send>(&self, name: &str, run: impl FnOnce() -> T + Send) -> T {
        self.machine(name).namespace.inside(run)
    }

    /// From now on, two machines hear nothing of each other.
    pub fn cut(&self, one: &str, other: &str) {
        self.cut_one_way(one, other);
        self.cut_one_way(other, one);
    }

    /// From now on, what one machine sends to another is lost on its way.
    ///
    /// That is a broken direction of a link, and packets know nothing of connections: TCP needs both directions, so a
    /// connection between the two stands still, and a new one does not come about, whoever opens it. What the other
    /// machine sends does arrive, only nobody learns of it.
    pub fn cut_one_way(&self, from: &str, to: &str) {
        let _changing = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        rules::drop_all_from(&self.machine(to).namespace, self.address(from)).expect("a rule can be added");
    }

    /// From now on, something between two machines resets their connections, and refuses new ones, in both directions.
    pub fn reset(&self, one: &str, other: &str) {
        let _changing = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        for (from, to) in [(one, other), (other, one)] {
            rules::reset_all_from(&self.machine(to).namespace, self.address(from)).expect("a rule can be added");
        }
    }

    /// Cuts a machine off from all others.
    pub fn isolate(&self, name: &str) {
        self.machines.iter().filter(|other| other.name != name).for_each(|other| self.cut(name, &other.name));
    }

    /// Takes all cuts back. What was sent meanwhile stays lost; TCP sends it again, sooner or later.
    pub fn heal(&self) {
        let _changing = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        for machine in &self.machines {
            let dropped = rules::remove(&machine.namespace).expect("rules can be removed");
            self.dropped.fetch_add(dropped, Ordering::Relaxed);
        }
    }

    /// How many packets were lost by cuts, or reset, so far. A fault that was to bite has raised it.
    pub fn dropped(&self) -> u64 {
        let _changing = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        let standing = self.machines.iter().map(|machine| rules::dropped(&machine.namespace));
        let standing: u64 = standing.map(|count| count.expect("rules can be listed")).sum();
        self.dropped.load(Ordering::Relaxed) + standing
    }

    fn machine(&self, name: &str) -> &Machine {
        let found = self.machines.iter().find(|machine| machine.name == name);
        found.unwrap_or_else(|| panic!("no host is named {name}"))
    }
}

/// Everything that hosts are made of, once.
fn trial() -> anyhow::Result<()> {
    ensure!(rustix::process::geteuid().is_root(), "network namespaces are for root, and this is another user");
    let hosts = Hosts::build(&["left", "right"])?;
    system::run(&mut hosts.command("left", "true")).context("no program can be run in a network namespace")?;
    rules::drop_all_from(&hosts.machine("left").namespace, hosts.address("right"))?;
    rules::remove(&hosts.machine("left").namespace)?;
    Ok(())
}
