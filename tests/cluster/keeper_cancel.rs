//! A cancelled attempt is closed, and its slot free, when its processes are gone, and not when it was cancelled.

use antfarm_testkit::{Cluster, wait_until};
use anyhow::{Context, ensure};
use serde_json::json;

use crate::given::{GRAPH_WITHIN, SOON, append, reaches, single};
use crate::hidden::{all_run, no_attempt_met_another, none_runs, processes, starts, submit, with_hidden};

fn cluster() -> Cluster {
    with_hidden(Cluster::spec().foragers(1).slots(1).forager_settings("kill_grace = \"1500ms\"\n"))
}

#[test]
fn the_slot_of_a_cancelled_graph_returns_when_nothing_of_it_runs() {
    let cluster = cluster();
    let ledger = cluster.ledger();
    submit(&cluster, "guarded");
    let pids = processes(&cluster, "guarded");
    cluster.submit(&single("next", "append", &append(&ledger, 0)));
    let _ = cluster.antfarm(&["graph", "cancel", "guarded"]).exits(0);
    assert!(all_run(&pids), "it does not listen, and has its grace");
    wait_until("the attempt to be closed", SOON, || {
        let shown = cluster.get("/v1/graphs/guarded/nodes/only/attempts")?.ok()?;
        let attempt = shown["attempts"].get(0).context("no attempt")?;
        ensure!(attempt["state"] == "cancelled", "{shown}");
        Ok(())
    });
    none_runs(&pids).expect("it was closed when nothing of it was left");
    reaches(&ledger, 2);
    cluster.wait_for_success("next", GRAPH_WITHIN);
}

#[test]
fn nothing_of_another_attempt_starts_while_the_slot_is_taken_by_one_that_dies() {
    let cluster = cluster();
    let ledger = cluster.ledger();
    submit(&cluster, "pure");
    let pids = processes(&cluster, "pure");
    cluster.submit(&single("next", "append", &append(&ledger, 0)));
    let _ = cluster.antfarm(&["graph", "cancel", "pure"]).exits(0);
    reaches(&ledger, 1);
    none_runs(&pids).expect("the slot was free when nothing of it was left");
}

#[test]
fn an_attempt_past_its_time_is_gone_before_the_next_begins() {
    let cluster = cluster();
    let defaults = json!({"retries": 1, "timeout": "700ms"});
    let args = json!(cluster.scratch().folder());
    cluster
        .submit(&json!({"id": "guarded", "defaults": defaults, "nodes": {"only": {"tool": "guarded", "args": args}}}));
    let _ = cluster.command(&["graph", "wait", "guarded"]).within(GRAPH_WITHIN).run().exits(1);
    assert_eq!(starts(&cluster, "guarded"), 2);
    no_attempt_met_another(&cluster);
    assert_eq!(antfarm_testkit::sentries_of(cluster.forager(1).data()), Vec::<i32>::new());
}
