//! Graphs and commands that several specs begin with.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use antfarm_testkit::{Cluster, Ledger, Running, Workflow, wait_until};
use anyhow::ensure;
use serde_json::{Value, json};

/// The largest of the recorded workflows: 2,122 tasks.
pub(crate) const MONTAGE: &str = "montage-chameleon-dss-15d-001.json";

/// A graph of some thousand nodes ends within this time, whatever happens to the queens meanwhile.
pub(crate) const GRAPH_WITHIN: Duration = Duration::from_mins(2);

/// Something that needs no more than a few messages happens within this time.
pub(crate) const SOON: Duration = Duration::from_secs(20);

/// A graph of one array node.
pub(crate) fn array(id: &str, tool: &str, count: usize, args: &Value) -> Value {
    json!({"id": id, "nodes": {"each": {"tool": tool, "array": {"count": count}, "args": args}}})
}

/// A graph of one node.
pub(crate) fn single(id: &str, tool: &str, args: &Value) -> Value {
    json!({"id": id, "nodes": {"only": {"tool": tool, "args": args}}})
}

/// The arguments of an `append` node that takes `ms`.
pub(crate) fn append(ledger: &Ledger, ms: u64) -> Value {
    json!({"path": ledger.path(), "ms": ms})
}

/// `antfarm submit --wait` of a workflow whose tasks are `append` nodes that take `ms` each.
pub(crate) fn submit_workflow(cluster: &Cluster, workflow: &Workflow, ledger: &Ledger, ms: u64) -> Running {
    let args = append(ledger, ms).to_string();
    let command =
        ["submit", "--format", "wfformat", "--tool", "append", "--args", &args, "--wait", "--json", workflow.file()];
    cluster.command(&command).within(GRAPH_WITHIN).start()
}

/// Waits until a ledger has that many lines: two for each attempt that has ended, one for each that runs.
pub(crate) fn reaches(ledger: &Ledger, lines: usize) {
    wait_until(&format!("{lines} lines in the ledger"), GRAPH_WITHIN, || {
        let found = ledger.len();
        ensure!(found >= lines, "there are {found}");
        Ok(())
    });
}

/// Asserts that a workflow ran as its file says: every task once, and none before its parents.
pub(crate) fn ran_as_recorded(workflow: &Workflow, ledger: &Ledger) {
    ledger.each_node_started_exactly_once(workflow.name(), workflow.nodes());
    ledger.children_after_parents(workflow.name(), workflow.links());
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is later than 1970");
    u64::try_from(now.as_millis()).expect("it is earlier than the year 500,000,000")
}
