//! A cluster says how it is: members, digests, health, metrics.

use antfarm_testkit::{Cluster, wait_until};
use anyhow::ensure;
use serde_json::json;

use crate::given::{GRAPH_WITHIN, SOON, array, single};

#[test]
fn all_replicas_come_to_the_same_state() {
    let cluster = Cluster::start();
    cluster.submit(&array("some", "echo", 100, &json!({"a": 1})));
    cluster.wait_for_success("some", GRAPH_WITHIN);
    cluster.agrees();
    let status = cluster.antfarm(&["cluster", "status", "--json"]).exits(0).json();
    let members = status["members"].as_array().expect("a list");
    assert_eq!(members.len(), 3);
    assert!(members.iter().all(|member| member["reachable"] == true && member["voter"] == true), "{status}");
    assert_eq!(status["leader"], cluster.leader().id());
    assert_eq!(status["open_attempts"], 0);
}

#[test]
fn a_queen_tells_whether_it_is_alive_and_whether_it_is_ready() {
    let cluster = Cluster::start();
    for queen in cluster.queens() {
        for path in ["/healthz", "/readyz", "/", "/openapi.json"] {
            assert_eq!(queen.http().get(path).expect("it answers").status, 200, "{path}");
        }
    }
    let leader = cluster.leader();
    for follower in cluster.followers() {
        follower.kill();
    }
    wait_until("a queen without peers to say that it is not ready", SOON, || {
        let answer = leader.http().get("/readyz")?;
        ensure!(answer.status == 503, "{}", answer.body);
        Ok(())
    });
    assert_eq!(leader.http().get("/healthz").expect("it answers").status, 200);
}

#[test]
fn a_script_can_wait_until_all_queens_are_there_again() {
    let cluster = Cluster::start();
    let _ = cluster.antfarm(&["cluster", "status", "--all"]).exits(0);
    let away = cluster.followers()[0];
    away.kill();
    let _ = cluster.antfarm(&["cluster", "status"]).exits(0);
    let status = cluster.antfarm(&["cluster", "status", "--all"]).exits(3);
    let missing = format!("not all are there: queen {} cannot be reached", away.id());
    assert!(status.stderr.contains(&missing), "{}", status.stderr);
    away.start();
    wait_until("all queens to be there", SOON, || {
        let status = cluster.antfarm(&["cluster", "status", "--all"]);
        ensure!(status.code == Some(0), "{}", status.stderr);
        Ok(())
    });
}

#[test]
fn metrics_count_what_happened() {
    let cluster = Cluster::start();
    cluster.submit(&array("counted", "noop", 40, &json!({})));
    cluster.wait_for_success("counted", GRAPH_WITHIN);
    let leader = cluster.leader();
    for (name, least) in [
        ("antfarm_is_leader", 1.0),
        ("antfarm_epoch", 1.0),
        ("antfarm_assignments_total{class=\"cpu\"}", 40.0),
        ("antfarm_results_total{outcome=\"succeeded\"}", 40.0),
        ("antfarm_log_bytes", 100.0),
        ("antfarm_state_bytes", 1_000.0),
        ("antfarm_snapshot_seconds_count", 0.0),
        ("antfarm_apply_seconds_count", 3.0),
        ("antfarm_apply_longest_seconds", 0.000_001),
        ("antfarm_fsync_seconds_count", 3.0),
        ("antfarm_fsync_bytes_total", 100.0),
    ] {
        let value = leader.metric(name).expect("there is such a metric");
        assert!(value >= least, "{name} is {value}");
    }
    let leaders = cluster.queens().iter().filter(|queen| queen.leads()).count();
    assert_eq!(leaders, 1);
}

#[test]
fn foragers_are_listed_and_can_be_drained() {
    let cluster = Cluster::spec().foragers(2).start();
    let _ = cluster.antfarm(&["forager", "drain", "forager-1"]).exits(0);
    let listed = cluster.antfarm(&["forager", "list", "--json"]).exits(0).json();
    let drains = |name: &str| {
        let foragers = listed["foragers"].as_array().expect("a list");
        foragers.iter().find(|forager| forager["name"] == name).map(|forager| forager["draining"] == true)
    };
    assert_eq!((drains("forager-1"), drains("forager-2")), (Some(true), Some(false)), "{listed}");
    cluster.submit(&single("elsewhere", "echo", &json!(1)));
    cluster.wait_for_success("elsewhere", GRAPH_WITHIN);
    let attempts = cluster.get("/v1/graphs/elsewhere/nodes/only/attempts").and_then(|answer| answer.ok());
    assert_eq!(attempts.expect("it ran")["attempts"][0]["forager"], "forager-2");
    let _ = cluster.antfarm(&["forager", "undrain", "forager-1"]).exits(0);
}

#[test]
fn leadership_can_be_handed_over() {
    let cluster = Cluster::start();
    let (leader, next) = (cluster.leader(), cluster.followers()[0]);
    let _ = cluster.antfarm(&["cluster", "transfer", "--to", &next.id().to_string()]).exits(0);
    assert_eq!(cluster.leader_other_than(leader).id(), next.id());
}

#[test]
fn a_queen_that_is_told_to_stop_hands_over_first() {
    let cluster = Cluster::start();
    let leader = cluster.leader();
    let status = leader.stop();
    assert!(status.success(), "{status}");
    cluster.leader_other_than(leader);
}
