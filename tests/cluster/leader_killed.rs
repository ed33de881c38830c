//! A killed leader costs time, and nothing else: every node is started exactly once.

use antfarm_testkit::{Cluster, Dice, Ledger, Workflow, wait_until};
use anyhow::ensure;

use crate::given::{GRAPH_WITHIN, MONTAGE, append, now_ms, ran_as_recorded, reaches, single, submit_workflow};

/// How often the leader is killed while one graph runs.
const KILLS: usize = 10;

/// Long enough that each kill finds work in every state.
const NODE_MS: u64 = 100;

#[test]
fn each_node_is_started_once_however_often_the_leader_is_killed() {
    let Some(workflow) = Workflow::named(MONTAGE) else { return };
    let mut dice = Dice::named("leader_killed");
    let cluster = Cluster::start();
    let ledger = cluster.ledger();
    let submission = submit_workflow(&cluster, &workflow, &ledger, NODE_MS);
    let last_line = 2 * workflow.tasks.len();
    let mut kills = Vec::new();
    for moment in dice.several_in_range(KILLS, 1..last_line * 9 / 10) {
        reaches(&ledger, moment);
        let leader = cluster.leader();
        kills.push((leader.epoch(), now_ms()));
        leader.kill();
        assert!(ledger.len() < last_line, "the graph ended before the leader was killed for the last time");
        // A queen that comes back at once must not think that it still leads; one that comes back later must catch up.
        if dice.in_range(0..2) == 0 {
            cluster.leader();
        }
        leader.start();
    }
    let _ = submission.finish().exits(0);
    ran_as_recorded(&workflow, &ledger);
    cluster.agrees();
    print_failovers(&ledger, &kills);
}

/// From each kill to the first start of work that the next leader gave out.
fn print_failovers(ledger: &Ledger, kills: &[(u64, u64)]) {
    let started =
        kills.iter().filter_map(|(epoch, at)| Some(ledger.first_start_above_epoch(*epoch)?.saturating_sub(*at)));
    let mut failovers: Vec<u64> = started.collect();
    failovers.sort_unstable();
    println!("from each kill of the leader to the next start of work, in ms: {failovers:?}");
}

#[test]
fn a_submission_that_is_repeated_after_a_failover_is_the_same_graph() {
    let cluster = Cluster::start();
    let graph = single("once", "append", &append(&cluster.ledger(), 0));
    cluster.submit(&graph);
    let leader = cluster.leader();
    leader.kill();
    let answer = cluster.leader_other_than(leader).http().post("/v1/graphs", &graph.to_string()).expect("it answers");
    assert_eq!(answer.status, 200, "{}", answer.body);
    cluster.wait_for_success("once", GRAPH_WITHIN);
    cluster.ledger().each_node_started_exactly_once("once", ["only"]);
}

#[test]
fn a_restarted_leader_leads_in_a_higher_epoch() {
    let cluster = Cluster::start();
    let leader = cluster.leader();
    let epoch = leader.epoch();
    leader.kill_and_restart();
    wait_until("a leader in a higher epoch", GRAPH_WITHIN, || {
        let now = cluster.leader().epoch();
        ensure!(now > epoch, "the epoch is {now}");
        Ok(())
    });
}
