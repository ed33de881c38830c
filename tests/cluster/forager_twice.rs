//! Two processes with one name: one has it, the other waits until the lease of the first is over, and says so.

use antfarm_testkit::{Cluster, wait_until};
use anyhow::{Context, ensure};
use serde_json::json;

use crate::given::{GRAPH_WITHIN, SOON, now_ms, reaches};

const LEASE_MS: u64 = 3_000;

const NODES: usize = 60;

/// From when a name is free to when the process that waits for it asks again: it asks at least every two seconds.
const ASKED_WITHIN_MS: u64 = 2_500;

#[test]
fn only_one_of_two_foragers_with_one_name_gets_work_and_the_other_takes_its_place_after_the_lease() {
    let lease = format!("[lease]\nttl = \"{LEASE_MS}ms\"\nheartbeat = \"200ms\"\n");
    let cluster = Cluster::spec().foragers(1).slots(4).queen_settings(&lease).start();
    let ledger = cluster.ledger();
    let incarnation = || -> anyhow::Result<u64> {
        let record = cluster.get("/v1/foragers/forager-1")?.ok()?;
        record["incarnation"].as_u64().context("it has none")
    };
    let (first, rival) = (cluster.forager(1), cluster.rival_of(cluster.forager(1)));
    let own = incarnation().expect("it is registered");
    let args = json!({"path": ledger.path(), "ms": 300, "guard": true});
    cluster.submit(&json!({"id": "g", "nodes": {"each": {"tool": "append", "array": {"count": NODES}, "args": args}}}));
    reaches(&ledger, 1);
    rival.start();
    wait_until("the rival to be told why it waits", SOON, || {
        ensure!(rival.log().contains("wait until its lease is over"), "it was told nothing");
        Ok(())
    });
    reaches(&ledger, NODES);
    assert_eq!(incarnation().expect("it is registered"), own, "the name did not change hands");

    first.kill();
    let killed_at = now_ms();
    wait_until("the rival to have the name", GRAPH_WITHIN, || {
        let now = incarnation()?;
        ensure!(now > own, "it is {now}");
        Ok(())
    });
    let after = now_ms() - killed_at;
    println!("the rival had the name {after} ms after the kill, with a lease of {LEASE_MS} ms");
    assert!((LEASE_MS - 200..LEASE_MS + 1_000 + ASKED_WITHIN_MS).contains(&after), "it had it after {after} ms");
    let rivals = incarnation().expect("it is registered");
    first.start();
    wait_until("the first to be told why it waits", SOON, || {
        ensure!(first.log().contains("wait until its lease is over"), "it was told nothing");
        Ok(())
    });
    cluster.wait_for_success("g", GRAPH_WITHIN);
    assert_eq!(incarnation().expect("it is registered"), rivals, "the name did not change hands again");
    ledger.no_overlapping_attempts();
}
