//! A leader that is cut off steps down and refuses, another leads, work goes on, and the one that returns catches up.

use std::time::{Duration, Instant};

use antfarm_testkit::{Ledger, wait_until};
use anyhow::ensure;

use crate::given::append;
use crate::site::{SOON, Site};

/// Another leader is there within this time on a machine that does other things, too.
const ELECTED_WITHIN: Duration = Duration::from_secs(5);

/// A refusal comes within this time.
const REFUSED_WITHIN: Duration = Duration::from_secs(4);

const COUNT: usize = 160;
const EACH_MS: u64 = 400;

#[test]
fn a_leader_that_nobody_hears_refuses_and_work_goes_on_under_another() {
    cut_off_and_back(|site, leader, _| site.hosts.isolate(leader));
}

#[test]
fn a_leader_that_only_foragers_hear_refuses_and_work_goes_on_under_another() {
    cut_off_and_back(|site, leader, others| others.iter().for_each(|other| site.hosts.cut(leader, other)));
}

fn cut_off_and_back(cut: impl Fn(&Site, &str, &[&'static str])) {
    let Some(site) = Site::set_up() else { return };
    let (ledger, path) = site.ledger();
    let (leader, others) = site.leader_and_followers();
    site.submit(leader, &append("begun", COUNT, EACH_MS, &path));
    begins(&ledger);

    let cut_at = Instant::now();
    cut(&site, leader, &others);
    let next = site.leader_among(&others);
    let elected = cut_at.elapsed();
    println!("{next} leads {elected:.1?} after {leader} was cut off");
    assert!(elected < ELECTED_WITHIN, "it took {elected:?}");
    refuses(&site, leader);
    site.steps_down(leader);
    assert!(ledger.len() < 2 * COUNT, "the graph ended before anything could be seen");
    site.succeeds(next, "begun", SOON);
    ledger.each_node_started_exactly_once("begun", ["each"]);
    assert!(site.hosts.dropped() > 0, "the cut did not bite");

    let term = site.term(next);
    site.hosts.heal();
    let healed_at = Instant::now();
    site.agrees();
    println!("{leader} had caught up {:.1?} after it was brought back", healed_at.elapsed());
    assert_eq!((site.leader_among(&[next, leader]), site.term(next)), (next, term), "the return disturbs nobody");
    let again = site.shell(
        leader,
        "antfarm submit --wait - <<'END'\n{\"id\": \"late\", \"nodes\": {\"one\": {\"tool\": \"noop\"}}}\nEND",
    );
    assert!(again.contains("late"), "{again}");
    assert_eq!(site.term(leader), term);
}

/// Clients of a queen that is cut off are told, for reads as for changes.
fn refuses(site: &Site, queen: &str) {
    let begun = Instant::now();
    let late = append("late", 1, 0, "/srv/ledger").to_string();
    let change = site.ask(queen, |http| http.post("/v1/graphs", &late)).expect("it answers");
    assert_eq!(change.status, 503, "{}", change.body);
    assert!(matches!(change.problem().as_deref(), Some("no-quorum" | "outcome-unknown")), "{}", change.body);
    let read = site.ask(queen, |http| http.get("/v1/graphs/begun")).expect("it answers");
    assert_eq!((read.status, read.problem().as_deref()), (503, Some("no-quorum")), "{}", read.body);
    assert!(begun.elapsed() < 2 * REFUSED_WITHIN, "both took {:?}", begun.elapsed());
    let ready = site.ask(queen, |http| http.get("/readyz")).expect("it answers");
    assert_eq!(ready.status, 503, "{}", ready.body);
}

/// Waits until work runs.
fn begins(ledger: &Ledger) {
    wait_until("work to run", SOON, || {
        let lines = ledger.len();
        ensure!(lines > 16, "the ledger has {lines} lines");
        Ok(())
    });
}
