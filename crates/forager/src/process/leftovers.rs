//! The end of what a former forager left running.

use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::journal::ProcessMark;
use crate::process::MARK_VARIABLE;
use crate::process::group::Group;
use crate::process::proc_files::{has_variable, processes, status};

/// What is killed may fork in the meantime; it is looked for this often.
const ROUNDS: u32 = 100;

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(5);

/// Kills every process of the attempts that were open, and waits until they are gone. Never a stranger: a group only if its
/// leader started when it should have, any other process only if it carries the mark.
///
/// Says how many processes or groups it found.
pub(crate) async fn end_leftovers(attempts: &[(u64, Option<ProcessMark>)]) -> usize {
    if attempts.is_empty() {
        return 0;
    }
    let mut found = 0;
    for _ in 0..ROUNDS {
        let groups =
            attempts.iter().filter_map(|(_, process)| process.as_ref()).filter(|process| kill_group(process)).count();
        let marked = processes().into_iter().filter(|id| kill_marked(*id, attempts)).count();
        if groups + marked == 0 {
            return found;
        }
        found = found.max(groups + marked);
        tokio::time::sleep(PAUSE).await;
    }
    tracing::warn!("processes of attempts that were interrupted could not be killed");
    found
}

fn kill_group(process: &ProcessMark) -> bool {
    let Some(status) = status(process.id) else { return false };
    let ours = status.started_ticks == process.started_ticks && status.group == process.id && !status.zombie;
    if ours && let Some(group) = Group::of(process.id) {
        group.kill();
    }
    ours
}

/// The process is held by a descriptor while it is looked at, so that its number cannot become another's.
fn kill_marked(id: u32, attempts: &[(u64, Option<ProcessMark>)]) -> bool {
    let Some(pid) = i32::try_from(id).ok().and_then(Pid::from_raw) else { return false };
    let Ok(held) = pidfd_open(pid, PidfdFlags::empty()) else { return false };
    let alive = status(id).is_some_and(|status| !status.zombie);
    let ours = alive && attempts.iter().any(|(mark, _)| has_variable(id, &format!("{MARK_VARIABLE}={mark:016x}")));
    ours && pidfd_send_signal(held, Signal::KILL).is_ok()
}
