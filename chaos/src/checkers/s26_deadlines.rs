//! S26: nothing expires before its deadline, nothing starts after it, and nothing starts before the moment that it waits
//! for.

use std::collections::BTreeSet;

use super::Violation;
use crate::history::{AttemptStep, Evidence, FaultKind, Mark, NodeSpec, What};

const PROPERTY: &str = "S26 deadlines";

/// Queens measure how far their clocks are apart over links that may be slow.
const MEASURING_ERROR_MS: u64 = 250;

/// Between a forager's look at the deadline and the first line of what it starts, on a machine that has other things to
/// do; the way of an assignment, in which a deadline passes unseen, is a part of it.
const START_SLACK_MS: u64 = 2_000;

/// A leader's wall clock starts from the lower median of the voters', and runs as its monotonic clock does. One clock that
/// somebody has set makes nothing early; with two nothing is promised. It may make everything late, as whoever is silent
/// counts as lowest.
pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    let set = clocks_that_were_set(evidence);
    if set <= 1 {
        nothing_expires_early(evidence)?;
        nothing_starts_early(evidence)?;
    }
    if set == 0 { nothing_starts_late(evidence) } else { Ok(()) }
}

/// How many queens have a wall clock that somebody has set.
fn clocks_that_were_set(evidence: &Evidence) -> usize {
    let jumps = evidence.records.iter().filter_map(|record| {
        if let What::FaultOn { kind: FaultKind::ClockJump, on, .. } = &record.what { Some(on.as_str()) } else { None }
    });
    let names = jumps.flat_map(|on| on.split(|c: char| !(c.is_alphanumeric() || c == '-')));
    names.filter(|name| name.starts_with("queen-")).collect::<BTreeSet<_>>().len()
}

fn node<'a>(evidence: &'a Evidence, graph: &str, node: &str) -> Option<&'a NodeSpec> {
    evidence.graphs.get(graph)?.node(node)
}

/// Whoever reads of it reads of it afterwards.
fn nothing_expires_early(evidence: &Evidence) -> Result<(), Violation> {
    for record in &evidence.records {
        let (What::Entry { index, events }, Some(now)) = (&record.what, evidence.wall_ms(record.at_us)) else {
            continue;
        };
        for event in events.iter().filter(|event| event.state.as_deref() == Some("expired")) {
            let (Some(graph), Some(node)) = (&event.graph, &event.node) else { continue };
            let what = match self::node(evidence, graph, node).and_then(|node| node.deadline_ms) {
                Some(deadline) if now + evidence.clock_error_ms() + MEASURING_ERROR_MS < deadline => {
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

/// A start, seen in the ledger or inside of a forager.
struct Start<'a> {
    graph: &'a str,
    node: &'a str,
    fence: u64,
    at_ms: u64,
}

fn starts(evidence: &Evidence) -> impl Iterator<Item = Start<'_>> {
    let lines = evidence.ledger.iter().filter(|line| line.event == Mark::Start);
    let seen = lines.map(|line| Start { graph: &line.graph, node: &line.node, fence: line.fence, at_ms: line.at });
    let inside = evidence.records.iter().filter_map(|record| {
        let What::Attempt { attempt, step: AttemptStep::Starts { .. }, .. } = &record.what else { return None };
        let at_ms = evidence.wall_ms(record.at_us)?;
        Some(Start { graph: &attempt.graph, node: &attempt.node, fence: attempt.fence, at_ms })
    });
    seen.chain(inside)
}

fn nothing_starts_late(evidence: &Evidence) -> Result<(), Violation> {
    let late_ms = START_SLACK_MS + evidence.clock_error_ms();
    for Start { graph, node, fence, at_ms } in starts(evidence) {
        let deadline = self::node(evidence, graph, node).and_then(|node| node.deadline_ms);
        if let Some(deadline) = deadline.filter(|deadline| deadline + late_ms < at_ms) {
            let what =
                format!("{graph}/{node} (fence {fence}) started at {at_ms} ms, and its deadline is {deadline} ms");
            return Err(Violation::new(PROPERTY, what));
        }
    }
    Ok(())
}

fn nothing_starts_early(evidence: &Evidence) -> Result<(), Violation> {
    let early_ms = MEASURING_ERROR_MS + evidence.clock_error_ms();
    for Start { graph, node, fence, at_ms } in starts(evidence) {
        let moment = self::node(evidence, graph, node).and_then(|node| node.not_before_ms);
        if let Some(moment) = moment.filter(|moment| at_ms + early_ms < *moment) {
            let what = format!("{graph}/{node} (fence {fence}) started at {at_ms} ms, and waits until {moment} ms");
            return Err(Violation::new(PROPERTY, what));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{DEADLINE_MS, NOT_BEFORE_MS, change, finds, with};
    use crate::history::Mark;

    #[test]
    fn a_node_that_expires_early_is_found() {
        finds("S26", &with(|sample| sample.everyone_reads(40, &change("g2", "write", "expired", None))));
    }

    #[test]
    fn a_start_before_its_moment_is_found() {
        finds(
            "S26",
            &with(|sample| {
                let start = sample.line("after", Mark::Start);
                sample.ledger[start].at = NOT_BEFORE_MS - super::MEASURING_ERROR_MS - 11;
            }),
        );
    }

    #[test]
    fn a_start_after_the_deadline_is_found() {
        finds(
            "S26",
            &with(|sample| {
                let start = sample.line("after", Mark::Start);
                sample.ledger[start].at = DEADLINE_MS + super::START_SLACK_MS + 11;
            }),
        );
    }
}
