//! A busy leader stays the leader: whatever clients ask for, heartbeats and votes have threads of their own.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use antfarm_testkit::Cluster;
use serde_json::{Map, Value, json};

use crate::given::GRAPH_WITHIN;

/// So many nodes come in one submission.
const NODES: usize = 40_000;

/// So many clients ask each queen without a pause: more than a small machine has cores.
const CLIENTS: usize = 4;

/// What costs a queen most of what clients ask for: a page of the longest list, after a quorum said that it leads.
const QUESTION: &str = "/v1/graphs/burst/nodes?limit=1000";

fn burst() -> Value {
    let nodes: Map<String, Value> = (0..NODES).map(|node| (format!("n{node}"), json!({"tool": "noop"}))).collect();
    json!({"id": "burst", "nodes": nodes})
}

#[test]
fn a_burst_of_nodes_and_clients_that_ask_without_a_pause_elect_nobody() {
    let cluster = Cluster::start();
    let (leader, term) = (cluster.leader().id(), cluster.leader().epoch());
    let (is_over, answers) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        for queen in cluster.queens() {
            for _ in 0..CLIENTS {
                scope.spawn(|| {
                    while !is_over.load(Ordering::Relaxed) {
                        let answered = queen.http().get(QUESTION).is_ok();
                        answers.fetch_add(usize::from(answered), Ordering::Relaxed);
                    }
                });
            }
        }
        cluster.submit(&burst());
        cluster.wait_for_success("burst", GRAPH_WITHIN);
        is_over.store(true, Ordering::Relaxed);
    });
    let answers = answers.into_inner();
    assert!(answers > 1_000, "only {answers} answers: the queens were not busy");
    assert_eq!((cluster.leader().id(), cluster.leader().epoch()), (leader, term), "somebody was elected");
}
