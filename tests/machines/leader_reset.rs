//! A box between networks that resets connections makes a live leader look dead to those behind it: that deposes nobody, if
//! they are no majority, and costs one election, if they are.

use std::time::{Duration, Instant};

use antfarm_testkit::wait_until;
use anyhow::ensure;

use crate::given::append;
use crate::site::{QUEENS, SOON, Site};

/// For so long the box stands: many of the longest election time-outs.
const STANDS: Duration = Duration::from_secs(5);

const COUNT: usize = 60;
const EACH_MS: u64 = 400;

#[test]
fn a_box_that_resets_between_the_leader_and_another_queen_deposes_nobody() {
    let Some(site) = Site::set_up() else { return };
    let (ledger, path) = site.ledger();
    let (leader, [other, third]) = site.leader_and_followers();
    let term = site.term(leader);
    site.submit(leader, &append("begun", COUNT, EACH_MS, &path));
    site.hosts.reset(leader, other);
    let begun = Instant::now();
    wait_until("the box to have stood long enough", 2 * STANDS, || {
        ensure!((site.leader_among(&[leader]), site.term(third)) == (leader, term), "the leader is deposed");
        ensure!(begun.elapsed() >= STANDS, "not yet");
        Ok(())
    });
    assert!(site.hosts.dropped() > 0, "the box did not bite");
    assert_eq!((site.leader_among(&QUEENS), site.term(leader)), (leader, term), "it leads all the time");
    site.hosts.heal();
    site.agrees();
    assert_eq!(
        (site.leader_among(&QUEENS), site.term(other)),
        (leader, term),
        "who was behind the box disturbs nobody"
    );
    site.succeeds(leader, "begun", SOON);
    ledger.each_node_started_exactly_once("begun", ["each"]);
}

#[test]
fn a_leader_whose_connections_to_all_queens_are_reset_costs_one_election_and_no_work() {
    let Some(site) = Site::set_up() else { return };
    let (ledger, path) = site.ledger();
    let (leader, others) = site.leader_and_followers();
    let term = site.term(leader);
    site.submit(leader, &append("begun", COUNT, EACH_MS, &path));
    for other in others {
        site.hosts.reset(leader, other);
    }
    let next = site.leader_among(&others);
    site.steps_down(leader);
    assert!(site.hosts.dropped() > 0, "the box did not bite");
    site.hosts.heal();
    site.agrees();
    assert_eq!((site.leader_among(&QUEENS), site.term(next)), (next, term + 1), "one election was enough");
    site.succeeds(next, "begun", SOON);
    ledger.each_node_started_exactly_once("begun", ["each"]);
}
