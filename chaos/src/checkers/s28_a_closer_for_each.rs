//! S28: every open attempt has something that will close it, and no graph ends over an instance that has not.

use std::collections::BTreeMap;

use antfarm_scheduler::State;

use super::Violation;
use crate::history::{Evidence, What};

const PROPERTY: &str = "S28 a closer for each";

pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    nothing_open_without_a_closer(evidence)?;
    nothing_runs_in_a_finished_graph(evidence)
}

fn nothing_open_without_a_closer(evidence: &Evidence) -> Result<(), Violation> {
    for record in &evidence.records {
        let What::Open { queen, applied, attempts } = &record.what else { continue };
        if let Some(open) = attempts.iter().find(|open| open.closer.is_none()) {
            let what = format!("at index {applied} of queen-{queen} nothing will ever close {open:?}");
            return Err(Violation::new(PROPERTY, what));
        }
    }
    Ok(())
}

/// States of an instance that has an open attempt.
const OPEN: [&str; 2] = ["assigned", "running"];

/// Where events show a graph from its beginning to its end. What had not begun when a graph was stopped ends with it,
/// without an event of its own.
fn nothing_runs_in_a_finished_graph(evidence: &Evidence) -> Result<(), Violation> {
    let begun = evidence.log.beginnings();
    let mut open: BTreeMap<(&str, &str, u32), &str> = BTreeMap::new();
    for (index, events) in &evidence.log.entries {
        for event in events {
            let Some(graph) = event.graph.as_deref() else { continue };
            let is_seen = begun.get(graph).is_some_and(|first| evidence.log.coverage.has_all(*first, *index));
            if event.r#type == "graph" && event.finished == Some(true) && is_seen {
                let first_open = open.range((graph, "", 0)..).next();
                if let Some(((_, node, instance), state)) = first_open.filter(|((of, ..), _)| *of == graph) {
                    let what = format!("graph {graph} ended at index {index}, and its {node}[{instance}] is {state}");
                    return Err(Violation::new(PROPERTY, what));
                }
            }
            let (Some(node), Some(state)) = (event.node.as_deref(), event.state.as_deref()) else { continue };
            for instance in event.instances() {
                if OPEN.contains(&state) {
                    open.insert((graph, node, instance), state);
                } else {
                    open.remove(&(graph, node, instance));
                }
            }
        }
    }
    Ok(())
}

/// In every replica, what is open belongs to an incarnation that can still be lost: its lease is the last way out.
pub(super) fn check_replicas(replicas: &[State]) -> Result<(), Violation> {
    for forager in replicas.iter().flat_map(State::foragers) {
        if let Some((attempt, _)) = forager.attempts().next().filter(|_| forager.lost) {
            let what = format!("{attempt} is open at {}, which is lost already", forager.name);
            return Err(Violation::new(PROPERTY, what));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{finds, with};
    use crate::history::{AttemptName, OpenAttempt, What};

    #[test]
    fn an_attempt_that_nothing_will_close_is_found() {
        finds(
            "S28",
            &with(|sample| {
                let attempt = AttemptName { graph: "g1".into(), node: "after".into(), instance: 0, fence: 14 };
                let attempts = vec![OpenAttempt { attempt, forager: "forager-1".into(), closer: None }];
                sample.add("inside", What::Open { queen: 1, applied: 30, attempts });
            }),
        );
    }

    #[test]
    fn a_graph_that_ends_over_an_open_instance_is_found() {
        finds(
            "S28",
            &with(|sample| {
                for reader in &mut sample.readers {
                    reader.entry(21).or_default().retain(|event| event.r#type == "graph");
                }
            }),
        );
    }
}
