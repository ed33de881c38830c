//! S11: everything that is observed was asked for.

use super::Violation;
use crate::history::{Evidence, Line, What};

const PROPERTY: &str = "S11 no phantom";

pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    for record in &evidence.records {
        let ids: Vec<&str> = if let What::Final { graph, .. } = &record.what {
            vec![&graph.id]
        } else if let What::Entry { events, .. } = &record.what {
            events.iter().filter_map(|event| event.graph.as_deref()).collect()
        } else {
            continue;
        };
        if let Some(id) = ids.into_iter().find(|id| !evidence.graphs.contains_key(*id)) {
            return Err(Violation::new(PROPERTY, format!("{} saw a graph {id} that nobody has submitted", record.by)));
        }
    }
    match evidence.ledger.iter().find(|line| !is_known(evidence, line)) {
        Some(Line { graph, node, index, forager, .. }) => {
            let what = format!("{forager} ran {graph}/{node}[{index}], which stands in no submitted graph");
            Err(Violation::new(PROPERTY, what))
        }
        None => Ok(()),
    }
}

fn is_known(evidence: &Evidence, line: &Line) -> bool {
    let node = evidence.graphs.get(&line.graph).and_then(|graph| graph.node(&line.node));
    node.is_some_and(|node| node.tool.leaves_marks() && line.index < node.instances())
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{finds, shown, with};
    use crate::history::What;

    #[test]
    fn a_graph_that_nobody_submitted_is_found() {
        finds(
            "S11",
            &with(|sample| {
                sample.add("end", What::Final { graph: shown("ghost", "succeeded"), results: [].into() });
            }),
        );
    }

    #[test]
    fn a_run_that_stands_in_no_graph_is_found() {
        finds(
            "S11",
            &with(|sample| {
                let mut line = sample.ledger[0].clone();
                (line.index, line.fence) = (7, 10);
                let end = crate::history::Line { event: crate::history::Mark::End, ..line.clone() };
                sample.ledger.push(end);
            }),
        );
    }
}
