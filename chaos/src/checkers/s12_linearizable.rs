//! S12: the API is linearizable, and stale reads never go back in a session.
//!
//! Two checks look at the same operations. The witness takes the committed log, as events show it, for the order in
//! which everything happened, and asks whether every answer fits into it; it takes time in proportion to the history. The
//! black box knows nothing of a log, which might lie, and searches for any order that explains the answers. Whatever the
//! witness finds sound has an order, so the black box must find one, too: if it does not, one of both is wrong.

mod black_box;
mod calls;
mod witness;

use std::collections::BTreeMap;

use super::Violation;
use crate::history::{Call, Evidence, Success};

const PROPERTY: &str = "S12 linearizable API";

/// Where both checks disagree, so many operations are told at most.
const MOST_CALLS_TOLD: usize = 60;

pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    sessions_never_go_back(evidence)?;
    let calls = calls::of(evidence);
    witness::answers_rise(&calls).map_err(violation)?;
    for (graph, calls) in &calls.by_graph {
        witness::check(evidence, graph, calls).map_err(violation)?;
        if let Err(black_box::Failure::NoOrder(what)) = black_box::check(calls) {
            return Err(violation(format!("no order explains what was said of graph {graph}: {what}")));
        }
    }
    Ok(())
}

/// Compares both checks; where they disagree, or the search is too long, the harness is broken.
pub(super) fn compare(evidence: &Evidence) -> Result<Agreement, String> {
    let calls = calls::of(evidence);
    let rises = witness::answers_rise(&calls).is_ok();
    let mut agreement = Agreement::default();
    for (graph, calls) in &calls.by_graph {
        let searched = black_box::check(calls);
        if let Err(black_box::Failure::GivenUp(looked_at)) = &searched {
            return Err(format!(
                "the search for an order of what was said of {graph} was given up after {looked_at} looks"
            ));
        }
        agreement.graphs += 1;
        if !rises || !witness::sees_all_of(evidence, graph, calls) {
            continue;
        }
        agreement.witnessed += 1;
        if let (Ok(()), Err(black_box::Failure::NoOrder(what))) = (witness::check(evidence, graph, calls), searched) {
            let calls: Vec<String> = calls.iter().take(MOST_CALLS_TOLD).map(ToString::to_string).collect();
            let calls = calls.join("\n  ");
            return Err(format!(
                "the log explains all that was said of graph {graph}, and the search finds no order: {what}\n  {calls}"
            ));
        }
    }
    Ok(agreement)
}

/// How much both checks have looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Agreement {
    /// Graphs for which an order was searched.
    pub(crate) graphs: usize,
    /// Those whose order the log has confirmed, too.
    pub(crate) witnessed: usize,
}

fn violation(what: String) -> Violation {
    Violation::new(PROPERTY, what)
}

/// A session is one client with one queen in one life of her process.
fn sessions_never_go_back(evidence: &Evidence) -> Result<(), Violation> {
    let mut stale: Vec<Success<'_>> =
        evidence.succeeded().filter(|success| matches!(success.op.call, Call::Read { stale: true, .. })).collect();
    stale.sort_by_key(|success| success.returned);
    let mut sessions = BTreeMap::new();
    for success in stale {
        let Some(life) = success.life else { continue };
        let last = sessions.entry((&success.op.client, success.op.queen, life)).or_insert(0);
        if success.index < *last {
            return Err(violation(format!(
                "{} read at index {} from queen-{} after it had read there at index {last}",
                success.op.client, success.index, success.op.queen
            )));
        }
        *last = success.index;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::compare;
    use crate::checkers::sample::{finds, shown, with};
    use crate::history::{Call, Evidence, What};

    fn read(stale: bool, index: u64, state: &str) -> Evidence {
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
        finds("S12", &read(false, 30, "running"));
    }

    #[test]
    fn a_stale_read_that_shows_what_its_index_does_not_is_found() {
        finds(
            "S12",
            &with(|sample| {
                let graph = Some(shown("g1", "succeeded"));
                let call = Call::Read { graph: "g1".into(), stale: true };
                sample.op(call, |op| What::Ok { op, status: 200, index: 9, life: None, graph });
            }),
        );
    }

    #[test]
    fn a_refused_cancellation_of_a_graph_that_runs_afterwards_is_found_without_a_log() {
        finds(
            "S12",
            &with(|sample| {
                let problem = "graph-ended".to_owned();
                sample.read_only_to(16); // nobody sees the end of the log
                let call = Call::Cancel { graph: "g3".into() };
                sample.op(call, |op| What::Fail { op, status: 409, index: 30, problem });
                let (graph, call) = (Some(shown("g3", "running")), Call::Read { graph: "g3".into(), stale: false });
                sample.op(call, |op| What::Ok { op, status: 200, index: 30, life: Some(1), graph });
            }),
        );
    }

    #[test]
    fn both_checks_look_at_all_graphs_of_a_sound_history() {
        let agreement = compare(&with(|_| {})).expect("they agree");
        assert_eq!((agreement.graphs, agreement.witnessed), (3, 3));
    }
}
