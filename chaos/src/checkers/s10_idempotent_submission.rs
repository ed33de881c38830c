//! S10: however often a graph is submitted, it is one graph, and everybody is told the same; another one is a conflict.

use std::collections::BTreeMap;

use super::Violation;
use crate::history::{Call, Evidence};

const PROPERTY: &str = "S10 idempotent submission";

const CREATED: u16 = 201;

pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    let mut told: BTreeMap<&str, (u64, &str)> = BTreeMap::new();
    let mut created = BTreeMap::new();
    for success in evidence.succeeded() {
        let graph = match &success.op.call {
            Call::Submit { graph } => graph,
            Call::Conflict { graph } => {
                let what = format!("another graph was taken under the id {graph} by queen-{}", success.op.queen);
                return Err(Violation::new(PROPERTY, what));
            }
            Call::Cancel { .. } | Call::Read { .. } | Call::Decide { .. } => continue,
        };
        let Some(shown) = success.graph else { continue };
        let answer = (shown.number, shown.digest.as_str());
        let first = *told.entry(&graph.id).or_insert(answer);
        if first != answer {
            let what = format!("of graph {} one was told {first:?}, another {answer:?}", graph.id);
            return Err(Violation::new(PROPERTY, what));
        }
        if success.status == CREATED
            && let Some(other) = created.insert(graph.id.as_str(), success.op.queen)
        {
            let what = format!("graph {} was new twice: at queen-{other} and queen-{}", graph.id, success.op.queen);
            return Err(Violation::new(PROPERTY, what));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{finds_both, graph, shown, with};
    use crate::history::{Call, What};

    fn submitted_again(status: u16, number: u64) -> crate::history::Evidence {
        with(|sample| {
            let graph = Some(crate::history::GraphShown { number, ..shown("g1", "succeeded") });
            sample.op(Call::Submit { graph: self::graph("g1") }, |op| What::Ok {
                op,
                status,
                index: 41,
                life: None,
                graph,
            });
        })
    }

    #[test]
    fn a_graph_that_is_new_twice_is_found() {
        finds_both("S10", "S12", &submitted_again(201, 1));
    }

    #[test]
    fn a_retry_that_makes_another_graph_is_found() {
        finds_both("S10", "S12", &submitted_again(200, 9));
    }

    #[test]
    fn another_graph_under_a_taken_id_is_found() {
        finds_both(
            "S10",
            "S12",
            &with(|sample| {
                let graph = Some(shown("g1", "running"));
                sample.op(Call::Conflict { graph: "g1".into() }, |op| What::Ok {
                    op,
                    status: 201,
                    index: 41,
                    life: None,
                    graph,
                });
            }),
        );
    }
}
