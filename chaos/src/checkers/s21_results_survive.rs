//! S21: a result that was committed is there for ever after, and it is the one that was reported.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Violation;
use crate::history::{AttemptStep, Evidence, Tool, What};

const PROPERTY: &str = "S21 results survive";

pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    results_are_there_at_the_end(evidence)?;
    foragers_keep_what_is_not_confirmed(evidence)
}

/// Where somebody looked inside of foragers.
fn foragers_keep_what_is_not_confirmed(evidence: &Evidence) -> Result<(), Violation> {
    let mut kept = BTreeSet::new();
    for record in &evidence.records {
        let What::Attempt { forager, attempt, step, .. } = &record.what else { continue };
        match step {
            AttemptStep::Starts { .. } | AttemptStep::Ends => drop(kept.insert(attempt)),
            AttemptStep::Confirmed => drop(kept.remove(attempt)),
            AttemptStep::Forgotten if kept.contains(attempt) => {
                let what = format!("{forager} forgot {attempt:?}, whose end nobody had confirmed");
                return Err(Violation::new(PROPERTY, what));
            }
            AttemptStep::Forgotten => {}
        }
    }
    Ok(())
}

/// Every instance that events show as succeeded has its result at the end.
fn results_are_there_at_the_end(evidence: &Evidence) -> Result<(), Violation> {
    let finals = evidence.finals();
    for change in evidence.log.changes().filter(|change| change.state == "succeeded") {
        let node = evidence.graphs.get(change.graph).and_then(|graph| graph.node(change.node));
        let (Some((_, results)), Some(node)) = (finals.get(change.graph), node) else { continue }; // S9 and S11 look for those
        let name = node.instance_name(change.instance);
        let Some(result) = results.get(&name) else {
            let what = format!("{}/{name} succeeded at index {}, and has no result", change.graph, change.index);
            return Err(Violation::new(PROPERTY, what));
        };
        if !is_its_own(&node.tool, result, change.fence) {
            let what = format!(
                "{}/{name} succeeded at index {} with fence {:?}, and its result is {result}",
                change.graph, change.index, change.fence
            );
            return Err(Violation::new(PROPERTY, what));
        }
    }
    Ok(())
}

/// Whether a result is that of this tool, and of the attempt that it was taken from. A person who decides may give any.
fn is_its_own(tool: &Tool, result: &Value, fence: Option<u64>) -> bool {
    match tool {
        Tool::Echo { word } => result == word,
        Tool::Work | Tool::Labour => fence.is_none() || result["fence"].as_u64() == fence,
        Tool::Append { .. } | Tool::Sleep { .. } => result.is_null(),
        Tool::Pay | Tool::PayTwice => result.is_null() || fence.is_none() || result["fence"].as_u64() == fence,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::checkers::sample::{UNSEEN, attempt, finds, with};
    use crate::history::AttemptStep;

    #[test]
    fn a_result_that_is_gone_is_found() {
        finds(
            "S21",
            &with(|sample| {
                sample.results("g1", |results| {
                    results.remove("write");
                });
            }),
        );
    }

    #[test]
    fn a_forager_that_forgets_what_nobody_confirmed_is_found() {
        finds(
            "S21",
            &with(|sample| {
                sample.add("forager-1", attempt("write", UNSEEN, AttemptStep::Ends));
                sample.add("forager-1", attempt("write", UNSEEN, AttemptStep::Forgotten));
            }),
        );
    }

    #[test]
    fn the_result_of_another_is_found() {
        finds(
            "S21",
            &with(|sample| {
                sample.results("g1", |results| {
                    results.insert("say".into(), json!("another word"));
                });
            }),
        );
    }
}
