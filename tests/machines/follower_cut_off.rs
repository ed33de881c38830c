//! A follower that was cut off cannot win an election, so it holds none: at its return the term is what it was.

use antfarm_testkit::wait_until;
use anyhow::ensure;

use crate::given::append;
use crate::site::{SOON, Site};

/// A graph that takes some three seconds on sixteen slots, which is ten times the longest wait for an election.
const COUNT: usize = 160;
const EACH_MS: u64 = 300;

#[test]
fn a_follower_that_returns_raises_no_term_and_catches_up() {
    let Some(site) = Site::set_up() else { return };
    let (ledger, path) = site.ledger();
    let (leader, [follower, other]) = site.leader_and_followers();
    let term = site.term(leader);
    site.hosts.isolate(follower);
    site.submit(other, &append("meanwhile", COUNT, EACH_MS, &path));
    wait_until("the follower to miss its leader", SOON, || {
        let answer = site.ask(follower, |http| http.get("/v1/graphs"))?;
        ensure!(answer.status == 503, "it answers {}", answer.status);
        Ok(())
    });
    site.succeeds(leader, "meanwhile", SOON);
    ledger.each_node_started_exactly_once("meanwhile", ["each"]);
    assert!(site.hosts.dropped() > 0, "the cut did not bite");
    assert_eq!(site.term(follower), term, "it asks whether it could win before it raises its term");

    site.hosts.heal();
    site.agrees();
    assert!(site.leads(leader).expect("it answers"), "{leader} still leads");
    assert_eq!([leader, follower, other].map(|queen| site.term(queen)), [term; 3]);
}
