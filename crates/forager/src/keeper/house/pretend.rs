//! One attempt of a simulation under the keeper, from its start to its end.

use std::sync::Arc;

use antfarm_env::Env;
use antfarm_protocol::AttemptRef;
use tokio::sync::{mpsc, watch};

use super::attend::Report;
use super::kept::Until;
use crate::keeper::simulated::{ProgramCall, ProgramEnd, Workshop};
use crate::keeper::wire::{Ended, Exit, Start};
use crate::process::ProcessMark;

/// The signal that a made-up program ends by as soon as it is asked to.
const SIGTERM: i32 = 15;

/// Runs what a workshop makes of a program. The house hears of its start, and of its end.
pub(super) async fn attend(
    start: Start,
    workshop: Arc<dyn Workshop>,
    env: Env,
    reports: mpsc::Sender<(AttemptRef, Report)>,
    mut due: watch::Receiver<Until>,
) {
    let attempt = start.attempt;
    // Numbers of processes mean nothing where there are none.
    let program = ProcessMark { id: 0, started_ticks: start.mark };
    let _ = reports.send((attempt, Report::Started(program))).await; // without a house nobody wants to know
    let environment = start.environment.into_iter().collect();
    let mut run = workshop.run(ProgramCall { command: start.command, environment, input: start.input });
    let ended = loop {
        let until = *due.borrow_and_update();
        let stop_in = until.due().stop_at.saturating_sub(env.boot_time());
        tokio::select! {
            biased;
            ProgramEnd { code, output } = &mut run => {
                let output = output.into_bytes();
                break Ended { output, ..Ended::silent(Exit::Code(code), None) };
            }
            changed = due.changed() => if changed.is_err() {
                return; // the keeper was killed, and this with it
            },
            () = tokio::time::sleep(stop_in) => if until.due().stop_at <= env.boot_time() {
                break Ended::silent(Exit::Signal(SIGTERM), Some(until.cause()));
            },
        }
    };
    drop(run);
    let _ = reports.send((attempt, Report::Ended(ended))).await; // without a house nobody wants to know
}
