//! A leader that stood still and does not know it: nothing that it had in hand takes effect.

use std::time::{Duration, Instant};

use antfarm_testkit::{Cluster, Dice, Workflow, wait_until};
use anyhow::ensure;

use crate::given::{MONTAGE, SOON, now_ms, ran_as_recorded, reaches, submit_workflow};

/// Far longer than an election takes, and shorter than a lease.
const PAUSE: Duration = Duration::from_secs(5);

#[test]
fn nothing_takes_effect_that_a_paused_leader_had_in_hand() {
    let Some(workflow) = Workflow::named(MONTAGE) else { return };
    let mut dice = Dice::named("leader_paused");
    let cluster = Cluster::start();
    let ledger = cluster.ledger();
    let submission = submit_workflow(&cluster, &workflow, &ledger, 100);
    let moment = dice.in_range(1..2 * workflow.tasks.len() / 3);
    reaches(&ledger, moment);
    let paused = cluster.leader();
    let epoch = paused.epoch();
    let begun = Instant::now();
    paused.pause();
    let next = cluster.leader_other_than(paused);
    println!("another queen leads after {:?}", begun.elapsed());
    assert!(next.epoch() > epoch);
    reaches(&ledger, ledger.len() + 100);
    wait_until("the end of the pause", 2 * PAUSE, || {
        ensure!(begun.elapsed() >= PAUSE, "it is not over");
        Ok(())
    });
    paused.resume();
    let resumed_at = now_ms();
    wait_until("the paused queen to follow", SOON, || {
        ensure!(!paused.leads(), "it still thinks that it leads");
        Ok(())
    });
    let _ = submission.finish().exits(0);
    ran_as_recorded(&workflow, &ledger);
    ledger.nothing_started_in_epoch_after(epoch, resumed_at);
    cluster.agrees();
}
