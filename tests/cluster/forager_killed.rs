//! A guarded attempt whose forager died is tried again when its fate is certain, and not before.

use antfarm_testkit::{Attempt, Cluster, Ledger, wait_until};
use anyhow::{Context, ensure};

use crate::given::{GRAPH_WITHIN, append, now_ms, single};

/// Short, for who waits until it is over.
const SHORT_LEASE_MS: u64 = 3_000;

/// Long enough for a forager to come back before it is over.
const LONG_LEASE_MS: u64 = 20_000;

const HEARTBEAT_MS: u64 = 200;

fn cluster(lease_ms: u64) -> Cluster {
    let lease = format!("[lease]\nttl = \"{lease_ms}ms\"\nheartbeat = \"{HEARTBEAT_MS}ms\"\n");
    Cluster::spec().foragers(2).queen_settings(&lease).start()
}

/// Submits one guarded node that takes a while, and waits until it runs.
fn running(cluster: &Cluster, ledger: &Ledger) -> Attempt {
    cluster.submit(&single("guarded", "append", &append(ledger, 1_500)));
    wait_until("the node to run", GRAPH_WITHIN, || {
        ledger.attempts_of("guarded", "only").pop().context("it does not run")
    })
}

fn endings(cluster: &Cluster) -> anyhow::Result<Vec<String>> {
    let attempts = cluster.get("/v1/graphs/guarded/nodes/only/attempts")?.ok()?;
    let attempts = attempts["attempts"].as_array().context("no list of attempts")?;
    Ok(attempts.iter().filter_map(|attempt| attempt["state"].as_str().map(str::to_owned)).collect())
}

#[test]
fn a_guarded_attempt_of_a_killed_forager_is_reissued_only_when_its_lease_is_over() {
    let cluster = cluster(SHORT_LEASE_MS);
    let ledger = cluster.ledger();
    let first = running(&cluster, &ledger);
    let killed_at = now_ms();
    cluster.forager_named(&first.forager).kill();
    cluster.wait_for_success("guarded", GRAPH_WITHIN);
    ledger.no_overlapping_attempts();
    let [_, second] = &ledger.attempts_of("guarded", "only")[..] else {
        panic!("two attempts: {:?}", ledger.attempts())
    };
    assert_ne!(second.forager, first.forager);
    let waited = second.started_at - killed_at;
    assert!(waited >= SHORT_LEASE_MS - 2 * HEARTBEAT_MS, "it was reissued {waited} ms after the kill");
    println!("reissued {waited} ms after the kill");
    assert_eq!(endings(&cluster).expect("it answers"), ["lost", "succeeded"]);
}

#[test]
fn a_forager_that_comes_back_says_which_attempts_its_death_interrupted() {
    let cluster = cluster(LONG_LEASE_MS);
    let ledger = cluster.ledger();
    let first = running(&cluster, &ledger);
    let forager = cluster.forager_named(&first.forager);
    forager.kill_and_restart();
    wait_until("the first attempt to be closed as interrupted", GRAPH_WITHIN, || {
        let endings = endings(&cluster)?;
        ensure!(endings.first().is_some_and(|ending| ending == "interrupted"), "the attempts are {endings:?}");
        Ok(())
    });
    cluster.wait_for_success("guarded", GRAPH_WITHIN);
    ledger.no_overlapping_attempts();
    assert_eq!(endings(&cluster).expect("it answers"), ["interrupted", "succeeded"]);
}

#[test]
fn a_drained_forager_finishes_what_runs_and_gets_nothing_more() {
    let cluster = cluster(LONG_LEASE_MS);
    let ledger = cluster.ledger();
    let first = running(&cluster, &ledger);
    let status = cluster.forager_named(&first.forager).stop();
    assert!(status.success(), "{status}");
    cluster.wait_for_success("guarded", GRAPH_WITHIN);
    assert_eq!(ledger.attempts_of("guarded", "only").len(), 1);
}
