//! A cluster that several tests attack, and what every attack must leave as it was.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use antfarm_testkit::{Cluster, ClusterSpec, wait_until};
use anyhow::ensure;
use serde_json::{Value, json};

use crate::memory::peak_mib;

/// A few nodes end within this time, on a machine that has other things to do, too.
pub(crate) const SOON: Duration = Duration::from_mins(1);

/// No queen needs more, whatever is sent to her and refused: reading the largest text takes the most of it.
const QUEEN_MIB: u64 = 1_024;

/// No forager needs more, whatever its tools print.
const FORAGER_MIB: u64 = 256;

/// Queens that do not take the other work of this machine for the end of their leader, so that a change of leaders
/// is the fault of an attack.
const PATIENT: &str =
    "raft.heartbeat = \"100ms\"\nraft.election_timeout_min = \"1s\"\nraft.election_timeout_max = \"2s\"\n";

/// Queens that are hard to disturb by load alone, and a forager.
pub(crate) fn patient() -> ClusterSpec {
    Cluster::spec().foragers(1).queen_settings(PATIENT)
}

/// The cluster of a file: the tests that run at the same time have one between them.
pub(crate) struct Shared(Mutex<Weak<Cluster>>);

impl Shared {
    /// None yet.
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(Weak::new()))
    }

    /// The cluster, started now if nobody has it.
    pub(crate) fn cluster(&self, start: impl FnOnce() -> Cluster) -> Arc<Cluster> {
        let mut shared = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shared.upgrade().unwrap_or_else(|| {
            let cluster = Arc::new(start());
            *shared = Arc::downgrade(&cluster);
            cluster
        })
    }
}

/// Does something to a cluster, and asserts that nobody else is worse for it: a graph that was submitted before and one
/// that is submitted after succeed, the leader leads on in the same term, every process runs, and none has grown.
pub(crate) fn unharmed<T>(cluster: &Cluster, attack: impl FnOnce() -> T) -> T {
    unharmed_within(QUEEN_MIB, cluster, attack)
}

/// The same, where a queen may have that much memory.
pub(crate) fn unharmed_within<T>(queen_mib: u64, cluster: &Cluster, attack: impl FnOnce() -> T) -> T {
    let leader = cluster.leader();
    let epoch = leader.epoch();
    let pids = pids(cluster);
    let before = submit_well_behaved(cluster);
    let result = attack();
    let after = submit_well_behaved(cluster);
    for id in [before, after] {
        let _ = cluster.wait_for_success(&id, SOON);
    }
    assert_eq!((cluster.leader().id(), cluster.leader().epoch()), (leader.id(), epoch), "the leader and its term");
    assert_eq!(self::pids(cluster), pids, "a process ended and another took its place");
    has_not_grown(cluster, queen_mib);
    result
}

/// Asserts that no process of a cluster ever had more memory than it may.
fn has_not_grown(cluster: &Cluster, queen_mib: u64) {
    let queens = cluster.queens().iter().map(|queen| (queen.name(), queen.pid(), queen_mib));
    let foragers = cluster.foragers().iter().map(|forager| (forager.name(), forager.pid(), FORAGER_MIB));
    for (name, pid, bound) in queens.chain(foragers) {
        let peak = peak_mib(pid);
        println!("{name} had at most {peak} MiB");
        assert!(peak <= bound, "{name} had {peak} MiB, and may have {bound}");
    }
}

fn pids(cluster: &Cluster) -> Vec<i32> {
    let queens = cluster.queens().iter().map(|queen| queen.pid());
    queens.chain(cluster.foragers().iter().map(|forager| forager.pid())).collect()
}

/// Submits what any decent person would, and returns its id.
fn submit_well_behaved(cluster: &Cluster) -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let id = format!("well-behaved-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    cluster.submit(&json!({"id": id, "nodes": {
        "first": {"tool": "echo", "args": {"rows": [1, 2, 3]}},
        "each": {"tool": "sleep", "array": {"count": 4}, "args": {"ms": 5}, "after": ["first"]},
        "last": {"tool": "echo", "args": {"row": {"$ref": "first#/rows/2"}}, "after": ["each"]},
    }}));
    id
}

/// Waits until a node has ended, and returns it with its attempts.
pub(crate) fn ended(cluster: &Cluster, graph: &str, node: &str) -> Value {
    wait_until(&format!("the end of {graph}/{node}"), SOON, || {
        let shown = cluster.get(&format!("/v1/graphs/{graph}/nodes/{node}"))?.ok()?;
        let state = shown["state"].as_str().unwrap_or_default();
        ensure!(!["waiting", "ready", "assigned", "running"].contains(&state), "it is {shown}");
        Ok(shown)
    })
}

/// The attempts at a node, the oldest first.
pub(crate) fn attempts(cluster: &Cluster, graph: &str, node: &str) -> Vec<Value> {
    let path = format!("/v1/graphs/{graph}/nodes/{node}/attempts");
    let page = cluster.get(&path).and_then(|answer| answer.ok()).expect("an instance has attempts");
    page["attempts"].as_array().expect("a list").clone()
}
