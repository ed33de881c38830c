//! A forager that is cut off keeps its work as long as its lease lasts, and not longer; when it is back, it works.

use std::time::{Duration, Instant};

use antfarm_testkit::wait_until;
use anyhow::{Context, ensure};

use crate::given::append;
use crate::site::{SOON, Site};

const FORAGER: &str = "forager-2";

/// What the guide's cluster has by default.
const LEASE_MS: u64 = 10_000;

/// From a cut to the end of everything that it delays.
const AFTER_LEASE: Duration = Duration::from_millis(3 * LEASE_MS);

/// How a forager stands, as a queen sees it.
fn state(site: &Site, name: &str) -> anyhow::Result<String> {
    let forager = site.json("queen-1", &format!("/v1/foragers/{name}"))?;
    Ok(forager["state"].as_str().context("a state")?.to_owned())
}

fn stands(site: &Site, name: &str, wanted: &str) {
    wait_until(&format!("{name} to be {wanted}"), AFTER_LEASE, || {
        let state = state(site, name)?;
        ensure!(state == wanted, "it is {state}");
        Ok(())
    });
}

/// Fills all slots of both foragers with guarded work, and waits until it runs.
fn fill(site: &Site, id: &str, ms: u64) {
    let (ledger, path) = site.ledger();
    site.submit("queen-1", &append(id, 16, ms, &path));
    wait_until("all slots to be in use", SOON, || {
        let started = ledger.attempts().keys().filter(|(graph, _, _)| graph == id).count();
        ensure!(started == 16, "{started} run");
        Ok(())
    });
}

#[test]
fn work_of_a_forager_that_is_back_before_its_lease_is_over_is_not_started_again() {
    let Some(site) = Site::set_up() else { return };
    fill(&site, "short", 6_000);
    site.hosts.isolate(FORAGER);
    stands(&site, FORAGER, "suspect");
    assert!(site.hosts.dropped() > 0, "the cut did not bite");
    site.hosts.heal();
    site.succeeds("queen-1", "short", AFTER_LEASE);
    site.ledger().0.each_node_started_exactly_once("short", ["each"]);
    stands(&site, FORAGER, "ready");
}

#[test]
fn guarded_work_of_a_forager_that_is_away_for_longer_is_ended_there_and_then_given_to_another() {
    let Some(site) = Site::set_up() else { return };
    let ledger = site.ledger().0;
    fill(&site, "long", LEASE_MS + 1_500);
    site.hosts.isolate(FORAGER);
    stands(&site, FORAGER, "lost");
    site.succeeds("queen-1", "long", AFTER_LEASE);
    ledger.no_overlapping_attempts();
    let attempts = ledger.attempts();
    let lost = attempts.values().filter(|of| of[0].forager == FORAGER);
    for attempts in lost.clone() {
        assert!(attempts[0].end_line.is_none(), "its lease was over before its end: {attempts:?}");
        assert!(attempts[1].forager != FORAGER && attempts.len() == 2, "it was given to another, once: {attempts:?}");
        let after = attempts[1].started_at - attempts[0].started_at;
        assert!(after >= LEASE_MS, "it was given to another after {after} ms");
    }
    assert_eq!(lost.count(), 8, "half of the slots are {FORAGER}'s");
    assert!(site.hosts.dropped() > 0, "the cut did not bite");

    site.hosts.heal();
    let healed_at = Instant::now();
    stands(&site, FORAGER, "ready");
    println!("{FORAGER} was ready {:.1?} after it was brought back", healed_at.elapsed());
    fill(&site, "afterwards", 100);
    site.succeeds("queen-1", "afterwards", SOON);
    assert!(
        ledger.attempts().values().flatten().any(|attempt| attempt.forager == FORAGER && attempt.end_line.is_some())
    );
}
