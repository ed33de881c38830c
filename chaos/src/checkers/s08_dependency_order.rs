//! S8: a node is assigned, and starts, only when everything that it depends on has succeeded, or has expired where its
//! graph goes on without it.

use antfarm_model::OnDeadline;

use super::Violation;
use crate::history::{Evidence, GraphSpec, Mark, NodeSpec};

const PROPERTY: &str = "S8 dependency order";

pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    in_the_ledger(evidence)?;
    in_the_log(evidence)
}

/// What a node runs after, with all instances; nothing for a node of another graph, which S11 looks for.
fn dependencies<'a>(evidence: &'a Evidence, graph: &str, node: &str) -> Vec<&'a NodeSpec> {
    let Some(graph) = evidence.graphs.get(graph) else { return Vec::new() };
    let after = graph.node(node).map_or(&[][..], |node| &node.after);
    after.iter().filter_map(|before| graph.node(before)).collect()
}

/// Whether the successors of a node run although it has expired.
fn may_expire(evidence: &Evidence, graph: &str, node: &NodeSpec) -> bool {
    let continues = |graph: &GraphSpec| graph.on_deadline == OnDeadline::Continue;
    node.deadline_ms.is_some() && evidence.graphs.get(graph).is_some_and(continues)
}

/// By the order of lines, so no clock is involved.
fn in_the_ledger(evidence: &Evidence) -> Result<(), Violation> {
    let mut ended = std::collections::BTreeSet::new();
    for line in &evidence.ledger {
        if line.event == Mark::End {
            ended.insert(line.instance());
        }
        if line.event != Mark::Start {
            continue;
        }
        let (graph, node, _) = line.instance();
        let must_end = |before: &&NodeSpec| before.tool.leaves_marks() && !may_expire(evidence, graph, before);
        for before in dependencies(evidence, graph, node).into_iter().filter(must_end) {
            if let Some(index) = (0..before.instances()).find(|index| !ended.contains(&(graph, &before.id, *index))) {
                let what =
                    format!("{graph}/{node} (fence {}) started before {}", line.fence, before.instance_name(index));
                return Err(Violation::new(PROPERTY, format!("{what} had ended, says the ledger")));
            }
        }
    }
    Ok(())
}

/// Where events show everything from the beginning of a graph on.
fn in_the_log(evidence: &Evidence) -> Result<(), Violation> {
    let begun = evidence.log.beginnings();
    let mut settled = std::collections::BTreeSet::new();
    for change in evidence.log.changes() {
        if change.state == "succeeded" || change.state == "expired" {
            settled.insert((change.graph, change.node, change.instance, change.state));
        }
        let Some(first) = begun.get(change.graph).filter(|_| change.state == "assigned") else { continue };
        if !evidence.log.coverage.has_all(*first, change.index) {
            continue;
        }
        for before in dependencies(evidence, change.graph, change.node) {
            let is_settled = |index, state| settled.contains(&(change.graph, before.id.as_str(), index, state));
            let may_expire = may_expire(evidence, change.graph, before);
            let missing = (0..before.instances())
                .find(|index| !is_settled(*index, "succeeded") && !(may_expire && is_settled(*index, "expired")));
            if let Some(index) = missing {
                let what = format!(
                    "{}/{} was assigned at index {} before {} had succeeded, say the events",
                    change.graph,
                    change.node,
                    change.index,
                    before.instance_name(index)
                );
                return Err(Violation::new(PROPERTY, what));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{finds, with};

    #[test]
    fn a_start_before_a_dependency_ended_is_found() {
        finds(
            "S8",
            &with(|sample| {
                let end = sample.line("write", crate::history::Mark::End);
                let line = sample.ledger.remove(end);
                let start = sample.line("after", crate::history::Mark::Start);
                sample.ledger.insert(start + 1, line);
            }),
        );
    }

    #[test]
    fn an_assignment_before_a_dependency_succeeded_is_found() {
        finds(
            "S8",
            &with(|sample| {
                for reader in &mut sample.readers {
                    let late = reader.remove(&13).unwrap_or_default();
                    reader.entry(15).or_default().extend(late);
                }
            }),
        );
    }
}
