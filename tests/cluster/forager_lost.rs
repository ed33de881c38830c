//! What a forager had is given to another a lease and at most a second after its last heartbeat, and never overlaps.

use antfarm_testkit::{Attempt, Cluster, Ledger, wait_until};
use anyhow::{Context, ensure};
use serde_json::{Value, json};

use crate::given::{GRAPH_WITHIN, now_ms, single};

const LEASE_MS: u64 = 3_000;

const HEARTBEAT_MS: u64 = 200;

/// Beyond the lease.
const FOUND_WITHIN_MS: u64 = 1_000;

fn cluster() -> Cluster {
    let lease = format!("[lease]\nttl = \"{LEASE_MS}ms\"\nheartbeat = \"{HEARTBEAT_MS}ms\"\n");
    Cluster::spec().foragers(2).queen_settings(&lease).start()
}

/// The arguments of an `append` node that writes its end only if nobody else has a higher fence.
fn guarded(ledger: &Ledger, ms: u64) -> Value {
    json!({"path": ledger.path(), "ms": ms, "guard": true})
}

/// Submits one guarded node, and waits until it runs.
fn running(cluster: &Cluster, ledger: &Ledger, ms: u64) -> Attempt {
    cluster.submit(&single("guarded", "append", &guarded(ledger, ms)));
    wait_until("the node to run", GRAPH_WITHIN, || {
        ledger.attempts_of("guarded", "only").pop().context("it does not run")
    })
}

/// Waits for the next attempt, and asserts that it began in time: after the lease of a forager that fell silent at that
/// moment, and no later than it has to be found. Its last heartbeat was sent at most one heartbeat before.
fn is_given_to_another_in_time(ledger: &Ledger, first: &Attempt, silent_at: u64) {
    let second = wait_until("another attempt", GRAPH_WITHIN, || {
        let attempts = ledger.attempts_of("guarded", "only");
        attempts.into_iter().find(|attempt| attempt.fence > first.fence).context("there is none")
    });
    assert_ne!(second.forager, first.forager);
    let after = second.started_at - silent_at;
    println!("given to another {after} ms after it fell silent, with a lease of {LEASE_MS} ms");
    assert!(after >= LEASE_MS - HEARTBEAT_MS, "too early: its lease was not over");
    assert!(after <= LEASE_MS + FOUND_WITHIN_MS - HEARTBEAT_MS, "too late");
}

fn state_of(cluster: &Cluster, forager: &str) -> anyhow::Result<String> {
    let record = cluster.get(&format!("/v1/foragers/{forager}"))?.ok()?;
    Ok(record["state"].as_str().unwrap_or_default().to_owned())
}

#[test]
fn a_killed_forager_is_found_in_time() {
    let cluster = cluster();
    let ledger = cluster.ledger();
    let first = running(&cluster, &ledger, 1_000);
    cluster.forager_named(&first.forager).kill();
    is_given_to_another_in_time(&ledger, &first, now_ms());
    cluster.wait_for_success("guarded", GRAPH_WITHIN);
    ledger.no_overlapping_attempts();
}

#[test]
fn a_killed_forager_is_found_in_time_by_a_leader_that_did_not_know_it() {
    let cluster = cluster();
    let ledger = cluster.ledger();
    let first = running(&cluster, &ledger, 1_000);
    let (leader, forager) = (cluster.leader(), cluster.forager_named(&first.forager));
    forager.kill();
    leader.kill();
    let killed_at = now_ms();
    cluster.leader_other_than(leader);
    let led_at = now_ms();
    println!("another queen led {} ms after the kill", led_at - killed_at);
    // She counts from when she began. How long an election takes is another promise.
    is_given_to_another_in_time(&ledger, &first, led_at);
    leader.start();
    cluster.wait_for_success("guarded", GRAPH_WITHIN);
    ledger.no_overlapping_attempts();
    cluster.agrees();
}

#[test]
fn what_a_forager_that_was_stopped_for_twice_its_lease_still_writes_is_refused_by_the_fence() {
    let cluster = cluster();
    let ledger = cluster.ledger();
    let first = running(&cluster, &ledger, 2 * LEASE_MS);
    let forager = cluster.forager_named(&first.forager);
    forager.pause();
    let paused_at = now_ms();
    is_given_to_another_in_time(&ledger, &first, paused_at);
    wait_until("twice the lease to pass", GRAPH_WITHIN, || {
        ensure!(now_ms() >= paused_at + 2 * LEASE_MS, "it has not passed");
        Ok(())
    });
    forager.resume();
    wait_until("the forager to be back", GRAPH_WITHIN, || {
        let state = state_of(&cluster, forager.name())?;
        ensure!(state == "ready", "it is {state}");
        Ok(())
    });
    cluster.wait_for_success("guarded", GRAPH_WITHIN);
    ledger.no_overlapping_attempts();
    let attempts = ledger.attempts_of("guarded", "only");
    assert!(attempts.len() == 2 && attempts[0].end_line.is_none() && attempts[1].end_line.is_some(), "{attempts:?}");
}

#[test]
fn a_forager_that_is_restarted_within_a_heartbeat_takes_over_from_itself_at_once() {
    let cluster = cluster();
    let ledger = cluster.ledger();
    let incarnation = |forager: &str| -> anyhow::Result<u64> {
        let record = cluster.get(&format!("/v1/foragers/{forager}"))?.ok()?;
        record["incarnation"].as_u64().context("it has none")
    };
    let first = running(&cluster, &ledger, 1_500);
    let before = incarnation(&first.forager).expect("it is registered");
    cluster.forager_named(&first.forager).kill_and_restart();
    let restarted_at = now_ms();
    wait_until("another incarnation", GRAPH_WITHIN, || {
        let now = incarnation(&first.forager)?;
        ensure!(now > before, "it is {now}");
        Ok(())
    });
    let after = now_ms() - restarted_at;
    println!("registered again after {after} ms");
    assert!(after < LEASE_MS / 2, "it waited for something");
    cluster.wait_for_success("guarded", GRAPH_WITHIN);
    ledger.no_overlapping_attempts();
}

#[test]
fn a_result_that_a_leader_took_with_it_is_told_to_the_next_one() {
    let cluster = cluster();
    let ledger = cluster.ledger();
    let first = running(&cluster, &ledger, 700);
    let leader = cluster.leader();
    leader.pause();
    wait_until("the end of the run", GRAPH_WITHIN, || {
        let ended = ledger.attempts_of("guarded", "only")[0].end_line;
        ended.map(drop).context("it runs")
    });
    leader.kill();
    leader.start();
    cluster.wait_for_success("guarded", GRAPH_WITHIN);
    let attempts = ledger.attempts_of("guarded", "only");
    assert!(attempts.len() == 1 && attempts[0].fence == first.fence, "{attempts:?}");
    cluster.agrees();
}
