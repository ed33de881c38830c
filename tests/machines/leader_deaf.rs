//! A link that works in one direction only is no way to keep an office: a leader that a majority hears and that hears a
//! majority is there again within a bound.

use std::time::{Duration, Instant};

use antfarm_testkit::wait_until;
use anyhow::{Context, ensure};
use serde_json::json;

use crate::site::{QUEENS, SOON, Site};

const LED_AGAIN_WITHIN: Duration = Duration::from_secs(10);

#[test]
fn a_leader_that_hears_nobody_is_followed_by_one_that_does() {
    is_led_again(|site, leader, other| site.hosts.cut_one_way(other, leader));
}

#[test]
fn a_leader_that_nobody_hears_though_it_hears_them_is_followed_by_another() {
    is_led_again(|site, leader, other| site.hosts.cut_one_way(leader, other));
}

fn is_led_again(cut: impl Fn(&Site, &str, &str)) {
    let Some(site) = Site::set_up() else { return };
    let (leader, others) = site.leader_and_followers();
    let (term, cut_at) = (site.term(leader), Instant::now());
    for other in others {
        cut(&site, leader, other);
    }
    // What counts is that somebody can commit.
    wait_until("a change that is committed", LED_AGAIN_WITHIN, || {
        let graph = json!({"id": "proof", "nodes": {"one": {"tool": "noop"}}}).to_string();
        let answers = others.map(|queen| site.ask(queen, |http| http.post("/v1/graphs", &graph)));
        let taken = answers.iter().flatten().any(|answer| matches!(answer.status, 200 | 201));
        ensure!(taken, "they answer {answers:?}");
        Ok(())
    });
    println!("changes are committed again {:.1?} after the cut", cut_at.elapsed());
    let next = site.leader_among(&others);
    assert!(site.term(next) > term, "{next} leads in a term of its own");
    site.steps_down(leader);
    site.succeeds(next, "proof", SOON);
    assert!(site.hosts.dropped() > 0, "the cut did not bite");

    site.hosts.heal();
    site.agrees();
    let leaders: Vec<_> = QUEENS.into_iter().filter(|queen| site.leads(queen).unwrap_or_default()).collect();
    leaders.first().filter(|_| leaders.len() == 1).with_context(|| format!("{leaders:?} lead")).expect("one leads");
}
