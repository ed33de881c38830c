//! A cancelled graph starts nothing more, and what runs of it is ended.

use antfarm_testkit::{Cluster, wait_until};
use anyhow::ensure;

use crate::given::{SOON, append, array, reaches};

#[test]
fn nothing_of_a_cancelled_graph_starts_and_what_runs_ends() {
    let cluster = Cluster::spec().foragers(1).slots(2).start();
    let ledger = cluster.ledger();
    cluster.submit(&array("long", "append", 10, &append(&ledger, 60_000)));
    reaches(&ledger, 2);
    let _ = cluster.antfarm(&["graph", "cancel", "long"]).exits(0);
    let waited = cluster.antfarm(&["graph", "wait", "long"]).exits(1);
    assert!(waited.stdout.contains("cancelled"), "{}", waited.stdout);
    wait_until("every attempt to be closed", SOON, || {
        let status = cluster.leader().status()?;
        ensure!(status["open_attempts"] == 0, "{status}");
        Ok(())
    });
    let graph = cluster.graph("long").expect("it is there");
    assert_eq!(
        (graph["state"].as_str(), graph["nodes"]["cancelled"].as_u64()),
        (Some("cancelled"), Some(10)),
        "{graph}"
    );
    assert_eq!(ledger.len(), 2);
    let _ = cluster.antfarm(&["graph", "delete", "long"]).exits(0);
    let _ = cluster.antfarm(&["graph", "show", "long"]).exits(4);
}
