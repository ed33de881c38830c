//! What waits behind busy slots until its deadline expires once: nothing of it is ever sent, so nothing is rejected.

use antfarm_testkit::{Cluster, Events, wait_until};
use anyhow::ensure;
use serde_json::{Map, Value, json};

use crate::given::{GRAPH_WITHIN, SOON, append, array, now_ms, reaches};

const NODES: usize = 10_000;

/// Long enough to submit ten thousand nodes before.
const TIME_MS: u64 = 8_000;

/// A moment so many milliseconds since 1970, as RFC 3339.
fn moment(ms: u64) -> String {
    let (days, of_day) = (ms / 86_400_000, ms % 86_400_000);
    // Hinnant, «chrono-compatible low-level date algorithms»: days since 0000-03-01, by eras of 400 years.
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
    let (hour, minute, millis) = (of_day / 3_600_000, of_day / 60_000 % 60, of_day % 60_000);
    let year = year + era * 400;
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{:02}.{:03}Z", millis / 1_000, millis % 1_000)
}

/// A counter with all its labels, of all queens: each counts what it did while it led.
fn sum(cluster: &Cluster, counter: &str) -> u64 {
    let count = |queen: &antfarm_testkit::Queen| -> u64 {
        let metrics = queen.http().get("/metrics").expect("a queen answers").body;
        let values = metrics.lines().filter(|line| line.starts_with(&format!("{counter}{{")));
        values.filter_map(|line| line.rsplit_once(' ')?.1.parse::<u64>().ok()).sum()
    };
    cluster.queens().iter().map(count).sum()
}

#[test]
fn ten_thousand_nodes_whose_deadline_passes_while_all_slots_are_busy_expire_once_and_nothing_is_sent() {
    let cluster = Cluster::spec().foragers(2).slots(2).start();
    let ledger = cluster.ledger();
    cluster.submit(&array("busy", "append", 4, &append(&ledger, 60_000)));
    reaches(&ledger, 4);
    let assigned = sum(&cluster, "antfarm_assignments_total");
    let leader = cluster.leader().http();
    let mut events = Events::of_graph_after(leader, "late", 0).expect("the stream opens");
    let deadline = moment(now_ms() + TIME_MS);
    let node = |number: usize| (format!("n{number}"), json!({"tool": "noop", "deadline": deadline}));
    let mut nodes: Map<String, Value> = (0..NODES).map(node).collect();
    nodes.insert("after".to_owned(), json!({"tool": "noop", "after": ["n0"]}));
    cluster.submit(&json!({"id": "late", "on_deadline": "skip_successors", "nodes": nodes}));
    let seen = events.read_until(|event| event["finished"] == true).expect("the graph ends");

    let graph = cluster.graph("late").expect("it is there");
    assert_eq!((&graph["state"], &graph["nodes"]["expired"]), (&json!("expired"), &json!(NODES)), "{graph}");
    assert_eq!(graph["nodes"]["skipped"], 1, "{graph}");
    let told = |state: &str| seen.iter().filter(|event| event["type"] == "node" && event["state"] == state).count();
    assert_eq!((told("expired"), told("assigned")), (NODES, 0), "each expires once, and none is ever assigned");
    assert_eq!(sum(&cluster, "antfarm_assignments_total"), assigned, "nothing is sent");
    assert_eq!(sum(&cluster, "antfarm_rejects_total"), 0, "nothing is rejected");
    let _ = cluster.antfarm(&["graph", "cancel", "busy"]).exits(0);
}

#[test]
fn what_runs_when_its_deadline_passes_is_ended_and_its_slot_is_free() {
    let cluster = Cluster::spec().foragers(1).slots(1).start();
    let ledger = cluster.ledger();
    let args = append(&ledger, 600_000);
    cluster.submit(&json!({"id": "long", "nodes": {
        "only": {"tool": "append", "args": args, "deadline": moment(now_ms() + 4_000)},
    }}));
    reaches(&ledger, 1);
    cluster.submit(&json!({"id": "next", "nodes": {"only": {"tool": "noop"}}}));
    cluster.wait_for_success("next", GRAPH_WITHIN);
    assert_eq!(cluster.graph("long").expect("it is there")["state"], "expired");
    let explained = cluster.antfarm(&["node", "explain", "long/only"]).exits(0).stdout;
    assert!(explained.contains("passed before it had a result"), "{explained}");
    wait_until("the attempt to be closed", SOON, || {
        let attempts = cluster.get("/v1/graphs/long/nodes/only/attempts")?.ok()?;
        ensure!(attempts["attempts"][0]["state"] == "cancelled", "{attempts}");
        Ok(())
    });
}

#[test]
fn a_graph_that_may_miss_its_deadline_by_its_own_time_outs_is_warned_of_and_taken() {
    let cluster = Cluster::spec().foragers(1).start();
    let file = cluster.scratch().path("late.json");
    let graph = json!({"id": "warned", "nodes": {
        "first": {"tool": "noop", "timeout": "2h"},
        "last": {"tool": "noop", "timeout": "1m", "after": ["first"], "deadline": moment(now_ms() + 3_600_000)},
    }});
    std::fs::write(&file, graph.to_string()).expect("a file can be written");
    let file = file.to_str().expect("a readable path");
    let checked = cluster.antfarm(&["check", file]).exits(0);
    let submitted = cluster.antfarm(&["submit", "--wait", file]).exits(0);
    for told in [checked.stderr, submitted.stderr] {
        assert!(told.contains("warning: ") && told.contains("nodes.last.deadline: "), "{told}");
    }
}
