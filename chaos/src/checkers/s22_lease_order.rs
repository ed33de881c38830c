//! S22: every lease that was granted to an incarnation is over when its loss is committed, and so is all guarded work.

use std::collections::BTreeMap;

use super::Violation;
use crate::history::{Evidence, Mark, Tool, What};

const PROPERTY: &str = "S22 lease order";

/// Between the moment that a program writes down and the one at which it has it from the clock.
const CLOCK_SLACK_MS: u64 = 50;

pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    leases_end_before_losses(evidence)?;
    programs_are_dead_when_a_loss_is_read(evidence)
}

/// Whichever leader granted it, before the loss or behind it.
fn leases_end_before_losses(evidence: &Evidence) -> Result<(), Violation> {
    let mut leases = BTreeMap::new();
    for record in &evidence.records {
        let What::Granted { queen, epoch, forager, incarnation, until_us } = &record.what else { continue };
        let last = leases.entry((forager, incarnation)).or_insert((*until_us, *queen, *epoch));
        *last = (*until_us, *queen, *epoch).max(*last);
    }
    for record in &evidence.records {
        let What::Lost { forager, incarnation } = &record.what else { continue };
        let Some((until, queen, epoch)) = leases.get(&(forager, incarnation)) else { continue };
        if *until > record.at_us {
            let what = format!(
                "incarnation {incarnation} of {forager} was lost at {} us, and queen-{queen} had granted it a lease until {until} us in epoch {epoch}",
                record.at_us
            );
            return Err(Violation::new(PROPERTY, what));
        }
    }
    Ok(())
}

/// Guarded programs are killed by a keeper, which goes on where its forager stands still. A loss is committed before
/// anybody reads of it; what was assigned before it belongs to the incarnation that was lost.
fn programs_are_dead_when_a_loss_is_read(evidence: &Evidence) -> Result<(), Violation> {
    for (read_at_ms, index, forager) in losses(evidence) {
        let alive = evidence.ledger.iter().find(|line| {
            line.forager == forager
                && line.fence < index
                && line.event != Mark::Start
                && line.at > read_at_ms + CLOCK_SLACK_MS
                && is_kept_program(evidence, &line.graph, &line.node)
        });
        if let Some(line) = alive {
            let what = format!(
                "{forager} was lost at index {index}, which was read at {read_at_ms} ms, and its {}/{} (fence {}) gave a sign of life at {} ms",
                line.graph, line.node, line.fence, line.at
            );
            return Err(Violation::new(PROPERTY, what));
        }
    }
    Ok(())
}

fn is_kept_program(evidence: &Evidence, graph: &str, node: &str) -> bool {
    let node = evidence.graphs.get(graph).and_then(|graph| graph.node(node));
    node.is_some_and(|node| matches!(node.tool, Tool::Work | Tool::Labour))
}

/// When a loss was first read, in wall time; its index; who was lost.
fn losses(evidence: &Evidence) -> Vec<(u64, u64, &str)> {
    let mut read = BTreeMap::new();
    for record in &evidence.records {
        let What::Entry { index, events } = &record.what else { continue };
        let Some(at_ms) = evidence.wall_ms(record.at_us) else { continue };
        let lost = events.iter().filter(|event| event.r#type == "forager" && event.state.as_deref() == Some("lost"));
        for forager in lost.filter_map(|event| event.forager.as_deref()) {
            read.entry((*index, forager)).or_insert(at_ms);
        }
    }
    read.into_iter().map(|((index, forager), at_ms)| (at_ms, index, forager)).collect()
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{finds, lost, with};
    use crate::history::{FaultKind, Mark, What};

    #[test]
    fn a_lease_that_outlives_the_loss_is_found() {
        finds(
            "S22",
            &with(|sample| {
                let (forager, incarnation) = ("forager-1".to_owned(), 4);
                let until_us = 3_600_000_000;
                sample.add("inside", What::Lost { forager: forager.clone(), incarnation });
                sample.add("inside", What::Granted { queen: 1, epoch: 1, forager, incarnation, until_us });
            }),
        );
    }

    #[test]
    fn a_guarded_program_that_outlives_the_loss_is_found() {
        finds(
            "S22",
            &with(|sample| {
                let (kind, on) = (FaultKind::Stop, "forager-1".to_owned());
                sample.add_early("nemesis", What::FaultOn { fault: 1, kind, on, confirmed_by: None });
                sample.everyone_reads(25, &lost("forager-1"));
                let end = sample.line("after", Mark::End);
                sample.ledger[end].at = 9_000;
            }),
        );
    }
}
