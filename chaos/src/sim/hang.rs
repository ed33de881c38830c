//! The disk of a leader hangs while all else is well: soon another queen leads, and takes what is submitted.

use std::sync::Arc;
use std::time::Duration;

use anyhow::ensure;
use tokio::time::{Instant, sleep};

use super::chronicle::Pen;
use super::closing;
use super::field::Field;
use super::machine::Machine;
use crate::history::{Call, FaultKind, Goal, What};
use crate::work::Came;

/// All queens have what the leader has within this time; otherwise there may be no majority that could go on without her.
const EVEN_WITHIN: Duration = Duration::from_secs(10);

/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Its number; those of a plan are smaller.
const FAULT: u64 = 1_000_000;

/// Lets the disk of the leader hang until the others serve without her.
pub(super) async fn hang(field: &Field, pen: &mut Pen) {
    let Some(leader) = leader_among_equals(field).await else { return };
    let on = format!("the disk of {} hangs", leader.name);
    pen.write(What::FaultOn { fault: FAULT, kind: FaultKind::DiskStall, on, confirmed_by: None });
    leader.health.stall(true);
    let others: Vec<u16> = field.queen_ids().into_iter().filter(|queen| *queen != leader.host.0).collect();
    let graph = closing::fresh_graph("fresh-hanging");
    field.known().graphs.push(graph.clone());
    let mut asker = field.chronicle.pen("asker-hanging");
    closing::goal(pen, Goal::ServesAgain, async || {
        // Whoever hangs has something to write, and the others take it all the same.
        let came = field.ask(&mut asker, others[0], &Call::Submit { graph: graph.clone() }).await;
        ensure!(came == Came::Done, "a submission is not acknowledged");
        let successor = field.queens().iter().find(|queen| queen.leads() && queen.host != leader.host);
        ensure!(successor.is_some() && !leader.leads(), "{} leads although her disk hangs", leader.name);
        Ok(())
    })
    .await;
    let waiting = leader.unsynced();
    leader.health.stall(false);
    let confirmed_by = (waiting > 0).then(|| format!("{waiting} changes waited for a sync"));
    pen.write(What::FaultOff { fault: FAULT, confirmed_by });
}

/// Who leads, as soon as all queens have applied what she has.
async fn leader_among_equals(field: &Field) -> Option<Arc<Machine>> {
    let until = Instant::now() + EVEN_WITHIN;
    while Instant::now() < until {
        let leader = field.queens().iter().find(|queen| queen.leads());
        let applied = |queen: &Machine| {
            let mut applied = None;
            queen.look(|handle, _| applied = Some(handle.status().applied_index.0));
            applied
        };
        if let Some(leader) = leader
            && let Some(wanted) = applied(leader)
        {
            sleep(LOOK_EVERY).await;
            let even = field.queens().iter().all(|queen| applied(queen).is_some_and(|index| index >= wanted));
            if even && leader.leads() {
                return Some(leader.clone());
            }
        }
        sleep(LOOK_EVERY).await;
    }
    None
}
