//! S12: an answer reflects everything that was answered before it was asked for; stale reads never go back in a session.
//!
//! The log-witness check, as far as answers name their place in the log: every answer carries the last index that was
//! applied where it was made. The order that the log claims must agree with the order in which clients saw things happen,
//! and what a read shows of a graph must agree with the events up to its index.

use std::collections::BTreeMap;

use super::Violation;
use crate::history::{Call, Evidence, Success};

const PROPERTY: &str = "S12 real-time order";

pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    let mut successes: Vec<Success<'_>> = evidence.succeeded().collect();
    indexes_rise(&mut successes)?;
    successes.sort_by_key(|success| success.returned);
    sessions_never_go_back(&successes)?;
    reads_agree_with_events(evidence, &successes)
}

fn is_stale(success: &Success<'_>) -> bool {
    matches!(success.op.call, Call::Read { stale: true, .. })
}

/// An answer's index is at least that of every answer that was there when its question was asked.
fn indexes_rise(successes: &mut [Success<'_>]) -> Result<(), Violation> {
    let mut returns: Vec<(usize, u64)> = successes.iter().map(|success| (success.returned, success.index)).collect();
    returns.sort_unstable();
    successes.sort_by_key(|success| success.op.invoked);
    let (mut returned, mut highest) = (returns.into_iter().peekable(), 0);
    for success in successes.iter() {
        while let Some((_, index)) = returned.next_if(|(place, _)| *place < success.op.invoked) {
            highest = index.max(highest);
        }
        if !is_stale(success) && success.index < highest {
            let what = format!(
                "{:?} at queen-{} was answered at index {}, although {highest} had been answered before it was asked",
                success.op.call, success.op.queen, success.index
            );
            return Err(Violation::new(PROPERTY, what));
        }
    }
    Ok(())
}

/// A session is one client with one queen in one life of her process.
fn sessions_never_go_back(successes: &[Success<'_>]) -> Result<(), Violation> {
    let mut sessions = BTreeMap::new();
    for success in successes.iter().filter(|success| is_stale(success)) {
        let Some(life) = success.life else { continue };
        let last = sessions.entry((&success.op.client, success.op.queen, life)).or_insert(0);
        if success.index < *last {
            let what = format!(
                "{} read at index {} from queen-{} after it had read there at index {last}",
                success.op.client, success.index, success.op.queen
            );
            return Err(Violation::new(PROPERTY, what));
        }
        *last = success.index;
    }
    Ok(())
}

/// A read shows a graph as finished only at or after the index of its end; and if it is not stale, it does not show it as
/// unfinished after an answer that was made at or after that index.
fn reads_agree_with_events(evidence: &Evidence, successes: &[Success<'_>]) -> Result<(), Violation> {
    let ends = ends(evidence);
    let mut answered = Vec::new(); // places with the highest index so far
    let mut highest = 0;
    for success in successes {
        highest = success.index.max(highest);
        answered.push((success.returned, highest));
    }
    for success in successes {
        let (Call::Read { graph, .. }, Some(shown)) = (&success.op.call, success.graph) else { continue };
        let Some(end) = ends.get(graph.as_str()) else { continue };
        let before = answered.partition_point(|(place, _)| *place < success.op.invoked);
        let known = before.checked_sub(1).map_or(0, |last| answered[last].1);
        let what = if shown.finished && success.index < *end {
            format!("graph {graph} ended at index {end}, and was read as ended at index {}", success.index)
        } else if !shown.finished && !is_stale(success) && *end <= known {
            format!("graph {graph} ended at index {end}, and was read as running after an answer at index {known}")
        } else {
            continue;
        };
        return Err(Violation::new(PROPERTY, what));
    }
    Ok(())
}

/// The index at which each graph ended.
fn ends(evidence: &Evidence) -> BTreeMap<&str, u64> {
    let events =
        evidence.log.entries.iter().flat_map(|(index, events)| events.iter().map(move |event| (*index, event)));
    let ended = events.filter(|(_, event)| event.r#type == "graph" && event.finished == Some(true));
    ended.filter_map(|(index, event)| Some((event.graph.as_deref()?, index))).collect()
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{finds, shown, with};
    use crate::history::{Call, What};

    fn read(stale: bool, index: u64, state: &str) -> crate::history::Evidence {
        with(|sample| {
            let graph = Some(shown("g1", state));
            let call = Call::Read { graph: "g1".into(), stale };
            sample.op(call, |op| What::Ok { op, status: 200, index, life: Some(1), graph });
        })
    }

    #[test]
    fn an_answer_older_than_what_was_answered_before_is_found() {
        finds("S12", &read(false, 20, "succeeded"));
    }

    #[test]
    fn a_stale_read_that_goes_back_in_its_session_is_found() {
        finds("S12", &read(true, 2, "running"));
    }

    #[test]
    fn a_read_that_misses_an_end_is_found() {
        finds("S12", &read(false, 60, "running"));
    }

    #[test]
    fn a_read_from_the_future_is_found() {
        finds(
            "S12",
            &with(|sample| {
                let graph = Some(shown("g1", "succeeded"));
                let call = Call::Read { graph: "g1".into(), stale: true };
                sample.op(call, |op| What::Ok { op, status: 200, index: 9, life: None, graph });
            }),
        );
    }
}
