//! A leader whose process dies is replaced because it is dead, not because it is silent, and nobody else is harmed.

use std::time::Duration;

use antfarm_testkit::{Cluster, wait_until};
use anyhow::{Context, ensure};
use serde_json::{Value, json};

use crate::given::{GRAPH_WITHIN, SOON, append};

/// Silence elects nobody in this time, so whoever leads was elected for another reason.
const PATIENT: &str = "raft.election_timeout_min = \"8s\"\nraft.election_timeout_max = \"10s\"\nlease.ttl = \"20s\"\n";

/// Elections so far that silence has nothing to do with are over within this time.
const AT_ONCE: Duration = Duration::from_secs(5);

/// Work that runs across the fault.
const COUNT: usize = 24;
const EACH_MS: u64 = 1_500;

fn incarnations(cluster: &Cluster) -> Vec<Value> {
    let foragers = cluster.get("/v1/foragers").expect("it answers").ok().expect("it is a list");
    let foragers = foragers["foragers"].as_array().expect("it is a list").clone();
    foragers.into_iter().map(|forager| json!([forager["name"], forager["incarnation"]])).collect()
}

#[test]
fn a_killed_leader_is_replaced_on_proof_in_the_next_term_and_no_forager_or_attempt_is_lost() {
    let cluster = Cluster::spec().queen_settings(PATIENT).start();
    let ledger = cluster.ledger();
    let graph = json!({"id": "across", "nodes": {"each": {
        "tool": "append", "array": {"count": COUNT}, "args": append(&ledger, EACH_MS),
    }}});
    cluster.submit(&graph);
    wait_until("work to run", SOON, || {
        ensure!(!ledger.is_empty(), "nothing runs");
        Ok(())
    });
    let before = incarnations(&cluster);
    let former = cluster.leader();
    let epoch = former.epoch();
    former.kill();
    let next = wait_until("another leader", AT_ONCE, || {
        let others = cluster.queens().iter().filter(|queen| queen.id() != former.id());
        others.into_iter().find(|queen| queen.leads()).context("none of the others leads")
    });
    assert_eq!(next.epoch(), epoch + 1, "one election is enough");
    let proofs = next.metric("antfarm_elections_total{cause=\"proof\"}").expect("it is counted");
    assert!((proofs - 1.0).abs() < f64::EPSILON, "{proofs}");
    cluster.wait_for_success("across", GRAPH_WITHIN);
    ledger.each_node_started_exactly_once("across", ["each"]);
    assert_eq!(incarnations(&cluster), before, "no forager had to register again");
    former.start();
    cluster.agrees();
    assert_eq!(cluster.leader().epoch(), epoch + 1, "the return of the former leader disturbs nobody");
}
