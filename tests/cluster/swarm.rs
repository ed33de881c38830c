//! Five hundred foragers live through twenty deaths of the leader, and nothing that they run is given to anybody else.

mod flock;
mod session;
mod stub;

use std::time::{Duration, Instant};

use antfarm_testkit::{Cluster, wait_until};
use anyhow::{Context, ensure};
use serde_json::{Value, json};

use crate::given::GRAPH_WITHIN;
use flock::Flock;

/// Foragers that run something, half of it guarded and half of it pure.
const BUSY: usize = 500;

/// Foragers that would take whatever is given out again.
const IDLE: usize = 10;

const KILLS: usize = 20;

/// The tools that stubs have, and what repeating them would do.
const TOOLS: [(&str, &str); 2] = [("hold-guarded", "guarded"), ("hold-pure", "pure")];

/// All this ends within this time.
const WITHIN: Duration = Duration::from_mins(2);

/// Every forager has presented itself to a leader of a higher epoch than this.
fn all_are_adopted_after(flock: &Flock, epoch: u64) {
    wait_until("all foragers to have a new leader", GRAPH_WITHIN, || {
        let adopted = flock.adopted_after(epoch);
        ensure!(adopted == BUSY + IDLE, "{adopted} have");
        Ok(())
    });
}

/// Waits until a queen leads in a higher epoch than this.
fn leader_after(cluster: &Cluster, epoch: u64) -> u64 {
    wait_until("a leader in a higher epoch", GRAPH_WITHIN, || {
        let epochs = cluster.queens().iter().filter(|queen| queen.leads()).map(antfarm_testkit::Queen::epoch);
        epochs.max().filter(|now| *now > epoch).context("there is none")
    })
}

/// How many attempts each instance of the graph has had.
fn attempts(cluster: &Cluster) -> Vec<u64> {
    let path = "/v1/graphs/held/nodes?state=running&limit=1000";
    let page: Value = cluster.get(path).and_then(|answer| answer.ok()).expect("it answers");
    let nodes = page["nodes"].as_array().expect("a list");
    nodes.iter().map(|node| node["attempts"].as_u64().expect("a number")).collect()
}

#[test]
fn five_hundred_foragers_survive_twenty_leaders_and_nothing_is_given_out_twice() {
    let begun = Instant::now();
    let cluster = Cluster::spec().foragers(0).start();
    for (tool, effects) in TOOLS {
        let manifest = json!({"cost_class": "model", "effects": effects, "timeout": "1h"}).to_string();
        let answer = cluster.leader().http().put(&format!("/v1/tools/{tool}"), &manifest);
        answer.and_then(|answer| answer.ok()).expect("it is taken");
    }
    let addresses: Vec<String> =
        cluster.queens().iter().map(|queen| queen.http().url().replace("http://", "")).collect();
    let flock = Flock::start(BUSY + IDLE, &addresses, &TOOLS.map(|(tool, _)| tool));
    all_are_adopted_after(&flock, 0);
    let node = |tool| json!({"tool": tool, "array": {"count": BUSY / 2}});
    cluster.submit(&json!({"id": "held", "nodes": {"guarded": node(TOOLS[0].0), "pure": node(TOOLS[1].0)}}));
    wait_until("all of it to run", GRAPH_WITHIN, || {
        let starts = flock.starts();
        ensure!(starts.len() == BUSY, "{} run", starts.len());
        Ok(())
    });
    println!("{BUSY} foragers were busy after {:.1?}", begun.elapsed());

    let mut times = Vec::new();
    let mut epoch = leader_after(&cluster, 0);
    for kill in 1..=KILLS {
        let leader = cluster.leader();
        let killed = Instant::now();
        leader.kill_and_restart();
        let next = leader_after(&cluster, epoch);
        // Every other leader dies while foragers present themselves to it.
        if kill % 2 == 0 {
            all_are_adopted_after(&flock, epoch);
            times.push(killed.elapsed().as_millis());
        }
        epoch = next;
    }
    all_are_adopted_after(&flock, epoch - 1);
    times.sort_unstable();
    println!("from a kill until all have presented themselves to the next leader, in ms: {times:?}");

    wait_until("all of it to be known as running", GRAPH_WITHIN, || {
        let attempts = attempts(&cluster);
        ensure!(attempts.len() == BUSY, "{} are", attempts.len());
        assert!(attempts.iter().all(|attempts| *attempts == 1), "some were given out again: {attempts:?}");
        Ok(())
    });
    for queen in cluster.queens() {
        let metrics = queen.http().get("/metrics").expect("it answers").body;
        let reissues =
            metrics.lines().find(|line| line.starts_with("antfarm_reissues_total{") && !line.ends_with(" 0"));
        assert_eq!(reissues, None);
    }
    flock.finish();
    cluster.wait_for_success("held", GRAPH_WITHIN);
    assert!(flock.starts().values().all(|starts| *starts == 1), "{:?}", flock.starts());
    assert_eq!(flock.mishaps(), Vec::<String>::new());
    cluster.agrees();
    println!("in all it took {:.1?}", begun.elapsed());
    assert!(begun.elapsed() < WITHIN, "it took {:?}", begun.elapsed());
}
