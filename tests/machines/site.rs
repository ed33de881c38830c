//! Six hosts with what the guide needs of them: a file system in which each has its own configuration and data, its own
//! processes and its own name, and programs that stand for those of systemd and ssh.

mod cluster;
mod layout;
mod machine;

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use antfarm_testkit::{Hosts, Ledger, Scratch, Turn, print_log_tails, wait_until};
use anyhow::{Context, ensure};

use layout::SHARED_FOLDER;
use machine::Machine;

use crate::guide::{self, CHECKOUT, Step, What};

/// The hosts of the guide, in the order of their addresses.
const HOSTS: [&str; 6] = ["queen-1", "queen-2", "queen-3", "forager-1", "forager-2", "forager-3"];

/// Those of them that run queens.
pub(crate) const QUEENS: [&str; 3] = ["queen-1", "queen-2", "queen-3"];

/// A step of the guide ends within this time, in seconds.
const STEP_SECONDS: &str = "60";

/// Something that needs no more than some messages happens within this time.
pub(crate) const SOON: Duration = Duration::from_secs(20);

/// The sections of the guide after which a cluster runs.
const SET_UP: [&str; 3] = ["Install", "Configure", "Start"];

/// The hosts, and what is on them.
pub(crate) struct Site {
    // Dropped in this order: the hosts' own first processes, and with each all others of it; then what they used.
    machines: Vec<Machine>,
    pub(crate) hosts: Hosts,
    scratch: Scratch,
    _turn: Turn,
}

impl Site {
    /// Empty hosts that run; nothing, and a word about it, where there can be none.
    pub(crate) fn empty() -> Option<Self> {
        let hosts = Hosts::or_skip(&HOSTS)?;
        let turn = Turn::take();
        let scratch = Scratch::new();
        layout::lay_out(&scratch, &hosts);
        let machines = HOSTS.map(|name| Machine::boot(name, &hosts, &scratch)).into();
        Some(Self { machines, hosts, scratch, _turn: turn })
    }

    /// Hosts on which a cluster runs, as the guide says.
    pub(crate) fn set_up() -> Option<Self> {
        let site = Self::empty()?;
        let steps = guide::steps();
        let steps = steps.iter().filter(|step| SET_UP.contains(&step.section.as_str()));
        steps.for_each(|step| site.follow(step));
        wait_until("both foragers", SOON, || {
            let foragers = site.json("queen-1", "/v1/foragers")?;
            let ready = foragers["foragers"].as_array().context("a list")?.iter();
            let ready = ready.filter(|forager| forager["state"] == "ready").count();
            ensure!(ready == 2, "{ready} are ready");
            Ok(())
        });
        Some(site)
    }

    /// Does what a step says, on each of its hosts.
    pub(crate) fn follow(&self, step: &Step) {
        for on in &step.on {
            match &step.what {
                What::File { path, text } => self.write(on, path, text),
                What::Commands(lines) => {
                    let begun = Instant::now();
                    self.shell(on, lines);
                    println!("{}: {on}: {:.1?}\n{lines}", step.section, begun.elapsed());
                }
            }
        }
    }

    fn write(&self, host: &str, path: &str, text: &str) {
        let path = self.root(host).join(path.trim_start_matches('/'));
        std::fs::write(&path, text).unwrap_or_else(|why| panic!("{} on {host}: {why}", path.display()));
    }

    /// Runs lines with a login shell on a host, which stops at the first that fails; returns what it wrote.
    pub(crate) fn shell(&self, host: &str, lines: &str) -> String {
        let mut command = Command::new("timeout");
        command.args(["--kill-after=5", STEP_SECONDS]);
        if host == CHECKOUT {
            command.current_dir(self.scratch.path("checkout")).env("SITE", self.scratch.folder());
            command.env("PATH", format!("{}:{}", self.scratch.path("bin").display(), path_variable()));
        } else {
            command.args(["nsenter", "--mount", "--uts", "--net", "--pid", "--target"]);
            command.args([&self.machine(host).pid.to_string(), "env", "--ignore-environment", "HOME=/"]);
        }
        let shell: &[&str] = if host == CHECKOUT { &["sh"] } else { &["sh", "-l"] };
        command.args(shell).args(["-eu", "-c", lines]).stdin(Stdio::null());
        let output = command.output().expect("a shell can be run");
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{host}: {}\n{lines}\n{out}\n{err}", output.status);
        out.into_owned()
    }

    /// A ledger, and its path as the hosts know it.
    pub(crate) fn ledger(&self) -> (Ledger, String) {
        let ledger = Ledger::at(&self.scratch.path(&format!("{SHARED_FOLDER}/ledger")));
        (ledger, format!("/{SHARED_FOLDER}/ledger"))
    }

    fn root(&self, host: &str) -> PathBuf {
        self.scratch.path(&self.hosts.address(host).to_string())
    }

    fn machine(&self, name: &str) -> &Machine {
        self.machines.iter().find(|machine| machine.name == name).unwrap_or_else(|| panic!("no host is named {name}"))
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        if std::thread::panicking() {
            for host in HOSTS {
                print_log_tails(&self.root(host).join("var/log"));
            }
        }
    }
}

fn path_variable() -> String {
    std::env::var("PATH").unwrap_or_else(|_| "/usr/sbin:/usr/bin:/sbin:/bin".to_owned())
}
