//! A forager that was stopped beyond its lease starts nothing that was given to others meanwhile.

use antfarm_testkit::{Cluster, wait_until};
use anyhow::ensure;

use crate::given::{GRAPH_WITHIN, append, array, reaches};

/// Short, for who waits until it is over.
const LEASE_MS: u64 = 2_000;

const HEARTBEAT_MS: u64 = 200;

/// So many that work is on its way to the forager when it stops.
const NODES: usize = 2_000;

/// How often it is stopped.
const PAUSES: usize = 3;

fn state_of(cluster: &Cluster, forager: &str) -> anyhow::Result<String> {
    let record = cluster.get(&format!("/v1/foragers/{forager}"))?.ok()?;
    Ok(record["state"].as_str().unwrap_or_default().to_owned())
}

#[test]
fn an_attempt_with_a_lower_fence_never_starts_after_one_with_a_higher_fence() {
    // What a loss returns is what the forager is given first when it is back: each pause may strike the same instances.
    let settings = format!(
        "[lease]\nttl = \"{LEASE_MS}ms\"\nheartbeat = \"{HEARTBEAT_MS}ms\"\n[scheduler]\npoison_limit = {}\n",
        PAUSES + 1
    );
    let cluster = Cluster::spec().foragers(2).slots(4).queen_settings(&settings).start();
    let ledger = cluster.ledger();
    cluster.submit(&array("many", "append", NODES, &append(&ledger, 20)));
    let paused = cluster.forager(1);
    for pause in 1..=PAUSES {
        reaches(&ledger, pause * NODES / 4);
        paused.pause();
        wait_until("the stopped forager to be lost", GRAPH_WITHIN, || {
            let state = state_of(&cluster, paused.name())?;
            ensure!(state == "lost", "it is {state}");
            Ok(())
        });
        paused.resume();
        wait_until("the forager to be back", GRAPH_WITHIN, || {
            let state = state_of(&cluster, paused.name())?;
            ensure!(state == "ready", "it is {state}");
            Ok(())
        });
    }
    cluster.wait_for_success("many", GRAPH_WITHIN);
    for (instance, mut attempts) in ledger.attempts() {
        attempts.sort_by_key(|attempt| attempt.start_line);
        let rising = attempts.windows(2).all(|pair| pair[0].fence < pair[1].fence);
        assert!(rising, "{instance:?}: {attempts:?}");
    }
}
