//! A host that runs: mounts, processes and a name of its own.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use antfarm_testkit::{Hosts, Scratch, child_processes};

use super::layout::OWN_FOLDERS;

/// A host that runs. It ends with its first process.
pub(super) struct Machine {
    pub(super) name: &'static str,
    first: Child,
    /// The first process, seen from here.
    pub(super) pid: i32,
}

impl Machine {
    /// Starts the first process of a host, which has mounts, processes and a name of its own. It reads from a pipe of this
    /// process, and ends with it.
    pub(super) fn boot(name: &'static str, hosts: &Hosts, scratch: &Scratch) -> Self {
        let mut command = hosts.command(name, "unshare");
        command.args(["--mount", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-eu", "-c"]);
        command.args([include_str!("boot.sh"), "boot", name]).arg(scratch.folder());
        command.arg(scratch.path(&hosts.address(name).to_string())).args(OWN_FOLDERS);
        let mut first = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("unshare can be run");
        let mut up = String::new();
        let output = first.stdout.take().expect("it is a pipe");
        BufReader::new(output).read_line(&mut up).expect("a pipe can be read");
        assert_eq!(up, "up\n", "{name} does not come up; what it said stands above");
        let (pid, _) = child_processes(first.id().cast_signed()).swap_remove(0);
        Self { name, first, pid }
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = self.first.kill(); // with its first process, every process of a host ends
        let _ = self.first.wait();
    }
}
