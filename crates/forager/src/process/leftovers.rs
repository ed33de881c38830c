//! The end of what a former forager or keeper left running.

use std::collections::BTreeSet;

use crate::process::ProcessMark;
use crate::process::held::Held;
use crate::process::proc_files::{attempt_mark, processes, sentry_mark, status};
use crate::process::search::Search;
use crate::process::tree::kill_below;

/// What is killed may fork in the meantime, and takes a moment to go: it is looked for this often before somebody has to
/// look for the cause.
const ROUNDS: u32 = 40;

/// A sentry that has nobody left to guard has so many looks to end by itself.
const PATIENCE: u32 = 10;

/// What is known of the processes of an attempt that nobody watches any more.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Leftover {
    /// What they carry in their environment.
    pub(crate) mark: u64,
    /// The program, which led a group.
    pub(crate) program: Option<ProcessMark>,
}

/// Processes that were killed and do not end: they hang in the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unkillable(pub(crate) usize);

/// Kills every process of these attempts, and waits until they are gone. Never a stranger: a group only if its leader
/// started when it should have, any other process only if it carries the mark or descends from a sentry that does.
///
/// Says how many it found.
pub(crate) async fn end_leftovers(attempts: &[Leftover]) -> Result<usize, Unkillable> {
    if attempts.is_empty() {
        return Ok(0);
    }
    let marks: BTreeSet<u64> = attempts.iter().map(|attempt| attempt.mark).collect();
    let (mut most, mut left, mut search) = (0, 0, Search::new());
    for round in 0..ROUNDS {
        let leaders = attempts.iter().filter_map(|attempt| attempt.program.and_then(Held::marked));
        left = leaders.map(|leader| kill_group(&leader)).sum();
        left += processes().into_iter().map(|id| kill_marked(id, &marks, round < PATIENCE)).sum::<usize>();
        let Some(pause) = search.saw(left) else { return Ok(most) };
        most = most.max(left);
        tokio::time::sleep(pause).await;
    }
    Err(Unkillable(left))
}

/// Kills the processes of a group one by one: its number is certainly the leader's only while that has not ended.
fn kill_group(leader: &Held) -> usize {
    let is_member = |id: u32| status(id).is_some_and(|status| status.group == leader.id());
    let members = processes().into_iter().filter(|id| is_member(*id)).filter_map(Held::open);
    let (own, others): (Vec<Held>, Vec<Held>) = members.partition(|member| member.id() == leader.id());
    // The leader goes last: what it is held for is the number of the group.
    let killed = others.iter().chain(&own).filter(|member| {
        let ours = is_member(member.id()) && !member.has_ended() && !leader.has_ended();
        if ours {
            member.kill();
        }
        ours
    });
    killed.count()
}

/// The process is held by a descriptor while it is looked at, so that its number cannot become another's.
///
/// A sentry goes last: as long as it is there, it is what its descendants are known by. It knows best whether none is left, so
/// at first it is only woken, should it be stopped, and ends by itself since its keeper is gone.
fn kill_marked(id: u32, marks: &BTreeSet<u64>, is_patient: bool) -> usize {
    let Some(held) = Held::open(id) else { return 0 };
    let is_ours = |mark: Option<u64>| mark.is_some_and(|mark| marks.contains(&mark)) && !held.has_ended();
    if is_ours(sentry_mark(id)) {
        let below = kill_below(id);
        if below == 0 && is_patient {
            held.wake();
        } else if below == 0 {
            held.kill();
        }
        return below + 1;
    }
    if is_ours(attempt_mark(id)) {
        held.kill();
        return 1;
    }
    0
}
