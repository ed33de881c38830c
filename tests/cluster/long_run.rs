//! However long a run takes, it is the same attempt: an assignment is sent again, and never made twice by age alone.

use std::time::Duration;

use antfarm_testkit::{Cluster, wait_until};
use anyhow::ensure;

use crate::given::{GRAPH_WITHIN, append, now_ms, single};

/// As short as it may be, with room for a machine that has other things to do.
const ASSIGN_TIMEOUT_MS: u64 = 400;

/// Far longer.
const RUN_MS: u64 = 50 * ASSIGN_TIMEOUT_MS;

const FAILOVERS: u64 = 3;

#[test]
fn a_run_of_fifty_assignment_time_outs_runs_once_through_three_failovers() {
    let settings = format!("[scheduler]\nassign_timeout = \"{ASSIGN_TIMEOUT_MS}ms\"\n");
    let cluster = Cluster::spec().queen_settings(&settings).start();
    let ledger = cluster.ledger();
    cluster.submit(&single("long", "append", &append(&ledger, RUN_MS)));
    let begun = now_ms();
    for failover in 1..=FAILOVERS {
        wait_until("the next failover", GRAPH_WITHIN, || {
            ensure!(now_ms() >= begun + failover * RUN_MS / (FAILOVERS + 1), "it is not time");
            Ok(())
        });
        let leader = cluster.leader();
        leader.kill();
        cluster.leader_other_than(leader);
        leader.start();
    }
    assert_eq!(ledger.len(), 1, "it runs");
    cluster.wait_for_success("long", Duration::from_millis(RUN_MS) + GRAPH_WITHIN);
    ledger.each_node_started_exactly_once("long", ["only"]);
    let attempts =
        cluster.get("/v1/graphs/long/nodes/only/attempts").and_then(|answer| answer.ok()).expect("it answers");
    assert_eq!(attempts["attempts"].as_array().map(Vec::len), Some(1), "{attempts}");
}
