//! A killed leader costs time, and nothing else: every node is started exactly once.

use antfarm_testkit::{Cluster, Dice, Ledger, Workflow, wait_until};
use anyhow::ensure;

use crate::given::{GRAPH_WITHIN, MONTAGE, ran_as_recorded, submit_workflow};

/// How often the leader is killed while one graph runs.
const KILLS: usize = 10;

/// Long enough that each kill finds work in every state.
const NODE_MS: u64 = 100;

#[test]
fn each_node_is_started_once_however_often_the_leader_is_killed() {
    let Some(workflow) = Workflow::named(MONTAGE) else { return };
    let mut dice = Dice::named("leader_killed");
    let cluster = Cluster::start();
    let ledger = Ledger::at(&cluster.path("ledger"));
    let submission = submit_workflow(&cluster, &workflow, &ledger, NODE_MS);
    let last_line = 2 * workflow.tasks.len();
    for moment in dice.several_in_range(KILLS, 1..last_line * 9 / 10) {
        wait_until(&format!("{moment} lines in the ledger"), GRAPH_WITHIN, || {
            let lines = ledger.len();
            ensure!(lines >= moment, "there are {lines}");
            Ok(())
        });
        let leader = cluster.leader();
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
}

#[test]
fn a_restarted_leader_leads_in_a_higher_epoch() {
    let cluster = Cluster::start();
    let leader = cluster.leader();
    let epoch = leader.metric("antfarm_epoch").expect("it answers");
    leader.kill_and_restart();
    wait_until("a leader in a higher epoch", GRAPH_WITHIN, || {
        let now = cluster.leader().metric("antfarm_epoch")?;
        ensure!(now > epoch, "the epoch is {now}");
        Ok(())
    });
}
