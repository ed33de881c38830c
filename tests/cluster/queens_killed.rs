//! All queens die in the same moment: nothing acknowledged is lost, and nothing that runs is started again.

use antfarm_testkit::{Cluster, Dice, Workflow, wait_until};
use anyhow::ensure;
use serde_json::json;

use crate::given::{GRAPH_WITHIN, MONTAGE, append, array, ran_as_recorded, reaches, single, submit_workflow};

#[test]
fn what_was_acknowledged_survives_the_death_of_all_queens() {
    let Some(workflow) = Workflow::named(MONTAGE) else { return };
    let mut dice = Dice::named("queens_killed");
    let cluster = Cluster::start();
    let ledger = cluster.ledger();
    let submission = submit_workflow(&cluster, &workflow, &ledger, 50);
    let moment = dice.in_range(1..2 * workflow.tasks.len() * 3 / 4);
    let mut acknowledged = Vec::new();
    wait_until(&format!("{moment} lines in the ledger"), GRAPH_WITHIN, || {
        let id = format!("small-{}", acknowledged.len());
        cluster.submit(&single(&id, "echo", &json!({"number": acknowledged.len()})));
        acknowledged.push(id);
        ensure!(ledger.len() >= moment, "there are {}", ledger.len());
        Ok(())
    });
    cluster.queens().iter().for_each(|queen| queen.kill());
    cluster.queens().iter().for_each(|queen| queen.start());
    let _ = submission.finish().exits(0);
    ran_as_recorded(&workflow, &ledger);
    for (number, id) in acknowledged.iter().enumerate() {
        cluster.wait_for_success(id, GRAPH_WITHIN);
        let result = cluster.get(&format!("/v1/graphs/{id}/nodes/only/result")).and_then(|answer| answer.ok());
        assert_eq!(result.expect("it succeeded"), json!({"number": number}));
    }
    println!("{} small graphs were acknowledged before all queens were killed", acknowledged.len());
    cluster.agrees();
}

#[test]
fn what_runs_while_all_queens_die_is_not_started_again() {
    let cluster = Cluster::spec().foragers(2).slots(4).start();
    let ledger = cluster.ledger();
    cluster.submit(&array("running", "append", 8, &append(&ledger, 4_000)));
    reaches(&ledger, 8);
    cluster.queens().iter().for_each(|queen| queen.kill());
    assert_eq!(ledger.len(), 8, "it was to run while all queens were dead");
    cluster.queens().iter().for_each(|queen| queen.start());
    cluster.wait_for_success("running", GRAPH_WITHIN);
    assert_eq!(ledger.len(), 16);
    ledger.each_node_started_exactly_once("running", ["each"]);
}
