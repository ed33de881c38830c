//! Assignments that nobody acknowledges, and foragers that reject all of them: neither brings a storm, or a second attempt.

use std::time::{Duration, Instant};

use antfarm_testkit::{Cluster, wait_until};
use anyhow::ensure;
use serde_json::{Map, Value, json};

use crate::foragers::{assigned, registered};
use crate::given::{SOON, attempts, ended, patient};
use crate::session::Session;

/// Decisions in a row of which a forager rejects something until it is quarantined.
const REJECTS: usize = 8;

fn heartbeat(session: &mut Session, sequence: u64) {
    session.say(&json!({
        "type": "forager.heartbeat", "epoch_seen": 0, "sequence": sequence, "running_digest": 0,
        "load": {"running": 0, "load_average_percent": 0},
    }));
}

fn reject(session: &mut Session, assigned: &Value) {
    session.say(&json!({"type": "task.reject", "attempt": assigned["attempt"], "reason": "no_slot"}));
}

/// A counter with all its labels, of the leader.
fn rejects(cluster: &Cluster) -> u64 {
    let metrics = cluster.leader().http().get("/metrics").expect("it answers").body;
    let values = metrics.lines().filter(|line| line.starts_with("antfarm_rejects_total{"));
    values.filter_map(|line| line.rsplit_once(' ')?.1.parse::<u64>().ok()).sum()
}

#[test]
fn what_is_not_acknowledged_is_sent_again_as_the_same_attempt() {
    let cluster = patient().queen_settings("scheduler.assign_timeout = \"1s\"\n").start();
    let mut session = registered(&cluster, "deaf");
    let first = assigned(&cluster, "deaf", &mut session);
    heartbeat(&mut session, 1);
    let again = session.hear("task.assign")["attempt"].clone();
    assert_eq!(again, first);
    session.say(&json!({"type": "task.result", "attempt": again, "outcome": "succeeded", "result": 1}));
    assert_eq!(ended(&cluster, "deaf", "only")["state"], "succeeded");
    assert_eq!(attempts(&cluster, "deaf", "only").len(), 1);
}

#[test]
fn a_forager_that_rejects_everything_is_asked_a_few_times_and_then_not_for_a_while() {
    let cluster = patient().start();
    let mut session = registered(&cluster, "sulky");
    let nodes: Map<String, Value> = (0..20).map(|number| (format!("n{number}"), json!({"tool": "sulky"}))).collect();
    cluster.submit(&json!({"id": "sulky", "nodes": nodes}));
    for _ in 0..REJECTS {
        let assigned = session.hear("task.assign");
        reject(&mut session, &assigned);
    }
    let began = Instant::now();
    let explained = wait_until("the forager to be quarantined", SOON, || {
        let explained = cluster.antfarm(&["node", "explain", "sulky/n19", "--json"]).exits(0).json();
        ensure!(explained["foragers"][0]["obstacle"] == "quarantined", "{explained}");
        Ok(explained)
    });
    assert_eq!(
        (&explained["reason"], &explained["foragers"][0]["name"]),
        (&json!("no_forager_available"), &json!("sulky"))
    );
    assert_eq!(rejects(&cluster), REJECTS as u64, "nothing more was sent");
    let shown = cluster.antfarm(&["forager", "show", "sulky"]).exits(0).stdout;
    assert!(shown.contains("rejected too much in a row (last: no_slot)"), "{shown}");

    heartbeat(&mut session, 1);
    let _ = cluster.antfarm(&["forager", "undrain", "sulky"]).exits(0);
    let _ = session.hear("task.assign");
    assert!(began.elapsed() < Duration::from_secs(29), "it was let out, and not because its time was over");
}
