//! S26: nothing expires before its deadline, and nothing starts after it.

use super::Violation;
use crate::history::{AttemptStep, Evidence, Mark, What};

const PROPERTY: &str = "S26 deadlines";

/// A leader's wall clock starts from the lower median of the voters', and runs as its monotonic clock does: it may be
/// wrong by what clocks that are kept right differ from each other.
const CLOCK_ERROR_MS: u64 = 250;

/// Between a forager's look at the deadline and the first line of what it starts, on a machine that has other things to
/// do; the way of an assignment, in which a deadline passes unseen, is a part of it.
const START_SLACK_MS: u64 = 2_000;

pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    nothing_expires_early(evidence)?;
    nothing_starts_late(evidence)
}

fn deadline(evidence: &Evidence, graph: &str, node: &str) -> Option<u64> {
    evidence.graphs.get(graph)?.node(node)?.deadline_ms
}

/// Whoever reads of it reads of it afterwards.
fn nothing_expires_early(evidence: &Evidence) -> Result<(), Violation> {
    for record in &evidence.records {
        let (What::Entry { index, events }, Some(now)) = (&record.what, evidence.wall_ms(record.at_us)) else {
            continue;
        };
        for event in events.iter().filter(|event| event.state.as_deref() == Some("expired")) {
            let (Some(graph), Some(node)) = (&event.graph, &event.node) else { continue };
            let what = match deadline(evidence, graph, node) {
                Some(deadline) if now + CLOCK_ERROR_MS < deadline => {
                    format!(
                        "{graph}/{node} expired at index {index}, read at {now} ms, and its deadline is {deadline} ms"
                    )
                }
                None if evidence.graphs.contains_key(graph) => {
                    format!("{graph}/{node} expired at index {index}, and has no deadline")
                }
                Some(_) | None => continue,
            };
            return Err(Violation::new(PROPERTY, what));
        }
    }
    Ok(())
}

fn nothing_starts_late(evidence: &Evidence) -> Result<(), Violation> {
    let lines = evidence.ledger.iter().filter(|line| line.event == Mark::Start);
    let seen = lines.map(|line| (line.graph.as_str(), line.node.as_str(), line.fence, line.at));
    let inside = evidence.records.iter().filter_map(|record| {
        let What::Attempt { attempt, step: AttemptStep::Starts { .. }, .. } = &record.what else { return None };
        Some((attempt.graph.as_str(), attempt.node.as_str(), attempt.fence, evidence.wall_ms(record.at_us)?))
    });
    for (graph, node, fence, at) in seen.chain(inside) {
        if let Some(deadline) = deadline(evidence, graph, node).filter(|deadline| deadline + START_SLACK_MS < at) {
            let what = format!("{graph}/{node} (fence {fence}) started at {at} ms, and its deadline is {deadline} ms");
            return Err(Violation::new(PROPERTY, what));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{DEADLINE_MS, change, finds, with};
    use crate::history::Mark;

    #[test]
    fn a_node_that_expires_early_is_found() {
        finds("S26", &with(|sample| sample.everyone_reads(40, &change("g2", "write", "expired", None))));
    }

    #[test]
    fn a_start_after_the_deadline_is_found() {
        finds(
            "S26",
            &with(|sample| {
                let start = sample.line("after", Mark::Start);
                sample.ledger[start].at = DEADLINE_MS + super::START_SLACK_MS + 1;
            }),
        );
    }
}
