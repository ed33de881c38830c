//! S13: once a cancellation is acknowledged, nothing more of that graph is assigned.

use std::collections::BTreeMap;

use super::Violation;
use crate::history::{Call, Evidence, Mark};

const PROPERTY: &str = "S13 cancel wins";

/// A fence is the index of its assignment, and an acknowledgement names an index at or after the cancellation's.
pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    let mut cancelled: BTreeMap<&str, u64> = BTreeMap::new();
    for success in evidence.succeeded() {
        if let Call::Cancel { graph } = &success.op.call {
            let index = cancelled.entry(graph).or_insert(success.index);
            *index = success.index.min(*index);
        }
    }
    let started = evidence.ledger.iter().filter(|line| line.event == Mark::Start);
    let started = started.map(|line| (line.graph.as_str(), line.node.as_str(), line.fence));
    let assigned = evidence.log.changes().filter(|change| change.state == "assigned");
    let assigned = assigned.map(|change| (change.graph, change.node, change.index));
    for (graph, node, index) in started.chain(assigned) {
        if let Some(cancelled) = cancelled.get(graph).filter(|cancelled| **cancelled < index) {
            let what = format!(
                "{graph}/{node} was assigned at index {index}; its cancellation was acknowledged at {cancelled}"
            );
            return Err(Violation::new(PROPERTY, what));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{change, finds, with};

    #[test]
    fn an_assignment_after_the_cancellation_is_found() {
        finds(
            "S13",
            &with(|sample| {
                sample.everyone_reads(40, &change("g2", "write", "assigned", Some(40)));
            }),
        );
    }
}
