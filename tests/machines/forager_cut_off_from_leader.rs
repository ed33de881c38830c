//! A forager that the leader alone does not hear any more: its work ends with its lease, and then another one does it.

use antfarm_testkit::wait_until;
use anyhow::{Context, ensure};
use serde_json::json;

use crate::site::{SOON, Site};

/// What the guide's cluster has by default.
const LEASE_MS: u64 = 10_000;

/// How often foragers are heard.
const HEARTBEAT_MS: u64 = 1_000;

/// The slots of each of the guide's foragers.
const SLOTS: usize = 8;

#[test]
fn its_guarded_work_is_ended_there_and_given_to_another_a_lease_and_at_most_a_second_later() {
    let Some(site) = Site::set_up() else { return };
    let (ledger, path) = site.ledger();
    let leader = site.leader_among(&crate::site::QUEENS);
    let args = json!({"path": path, "ms": LEASE_MS + 4_000, "guard": true});
    site.submit(
        leader,
        &json!({"id": "g", "nodes": {"each": {"tool": "append", "array": {"count": 10}, "args": args}}}),
    );
    let first = wait_until("the nodes to run", SOON, || {
        let attempts: Vec<_> = ledger.attempts().into_values().flatten().collect();
        ensure!(attempts.len() == 10, "{} run", attempts.len());
        let first = attempts.iter().find(|attempt| attempt.forager == "forager-1").context("none runs there")?.clone();
        Ok(first)
    });
    assert_eq!(first.forager, "forager-1");
    let cut_at = now_ms();
    site.hosts.cut(leader, "forager-1");
    let free_slots = 2 * SLOTS - 10;
    let again = wait_until("another attempt at what it had", SOON, || {
        let attempts = ledger.attempts();
        let again: Vec<_> = attempts.into_values().filter_map(|of| of.get(1).cloned()).collect();
        ensure!(again.len() >= free_slots, "{} were made", again.len());
        Ok(again)
    });
    for attempt in &again {
        let after = attempt.started_at - cut_at;
        println!("given to {} {after} ms after the cut, with a lease of {LEASE_MS} ms", attempt.forager);
        assert!(after >= LEASE_MS - HEARTBEAT_MS, "its lease was not over: {attempt:?}");
        assert!(after <= LEASE_MS + 1_000, "it was left open for too long: {attempt:?}");
        assert_ne!(attempt.forager, "forager-1");
    }
    assert_eq!(site.leader_among(&crate::site::QUEENS), leader, "nobody else leads: only the forager was cut off");
    assert!(site.hosts.dropped() > 0, "the cut did not bite");
    site.hosts.heal();
    site.succeeds(leader, "g", 6 * SOON);
    ledger.no_overlapping_attempts();
}

/// Milliseconds since 1970.
fn now_ms() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("it is later than 1970");
    u64::try_from(now.as_millis()).expect("it is earlier than the year 500,000,000")
}
