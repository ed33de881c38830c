//! A queen whose disk is lost is replaced under work, as docs/membership.md says, and the new one is worth as much.

use antfarm_testkit::{Cluster, Queen, wait_until};
use anyhow::ensure;

use crate::given::{GRAPH_WITHIN, SOON, append, array, reaches};

/// Work that runs across all of it.
const COUNT: usize = 40;
const EACH_MS: u64 = 2_000;

fn add(cluster: &Cluster, queen: &Queen) {
    let (id, http, raft) = (queen.id().to_string(), queen.http().url(), cluster.raft(queen).to_string());
    let http = http.trim_start_matches("http://").to_owned();
    let _ = cluster.antfarm(&["cluster", "add", "--id", &id, "--http", &http, "--raft", &raft]).exits(0);
}

fn promote(cluster: &Cluster, queen: &Queen) {
    wait_until("the new queen to vote", SOON, || {
        let end = cluster.antfarm(&["cluster", "promote", &queen.id().to_string()]);
        ensure!(end.code == Some(0), "{}", end.stderr);
        Ok(())
    });
}

#[test]
fn a_queen_whose_disk_is_lost_is_replaced_while_a_graph_runs_and_nothing_runs_twice() {
    let cluster = Cluster::spec().foragers(2).slots(4).start();
    let ledger = cluster.ledger();
    cluster.submit(&array("across", "append", COUNT, &append(&ledger, EACH_MS)));
    reaches(&ledger, 8);

    let lost = cluster.followers()[0];
    lost.kill();
    std::fs::remove_dir_all(cluster.scratch().path(lost.name())).expect("it has a data folder");
    let _ = cluster.antfarm(&["cluster", "remove", &lost.id().to_string()]).exits(0);
    let new = cluster.late_queen();
    new.start();
    wait_until("the new queen to say what it waits for", SOON, || {
        let ready = new.http().get("/readyz")?;
        ensure!(ready.status == 503 && ready.body.contains("antfarm cluster add --id 4"), "{}", ready.body);
        Ok(())
    });
    new.kill_and_restart();
    add(&cluster, &new);
    promote(&cluster, &new);

    // Without its memory, and under its old id, nobody wants the lost one.
    lost.start();
    wait_until("the removed queen to stop by itself", SOON, || {
        ensure!(!lost.runs(), "it runs");
        Ok(())
    });
    assert!(lost.log().contains("removed from the cluster"), "{}", lost.log());

    // The new one is needed for a majority now.
    let former = cluster.leader();
    former.kill();
    cluster.wait_for_success("across", GRAPH_WITHIN);
    ledger.each_node_started_exactly_once("across", ["each"]);
    let third = cluster.queens().iter().find(|queen| queen.id() != lost.id() && queen.id() != former.id());
    let third = third.expect("there are three");
    assert!(new.leads() || third.leads());
    former.start();
    wait_until("three queens with one state", SOON, || {
        let all: Vec<_> = [&new, third, former].into_iter().map(Queen::status).collect::<anyhow::Result<_>>()?;
        let state = |status: &serde_json::Value| (status["applied_index"].clone(), status["state_digest"].clone());
        ensure!(all.iter().all(|status| state(status) == state(&all[0])), "{all:?}");
        let members: Vec<u64> =
            all[0]["members"].as_array().into_iter().flatten().filter_map(|member| member["id"].as_u64()).collect();
        let expected = (1..=4).filter(|id| *id != u64::from(lost.id()));
        ensure!(members.iter().copied().eq(expected), "{members:?}");
        Ok(())
    });
}
