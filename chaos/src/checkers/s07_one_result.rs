//! S7: an instance accepts one result, and nothing happens to it afterwards.

use std::collections::BTreeMap;

use antfarm_model::GraphNo;
use antfarm_scheduler::{Ending, InstanceState, State};

use super::Violation;
use crate::history::Evidence;

const PROPERTY: &str = "S7 one accepted result";

/// States after which there is none.
const FINAL: [&str; 5] = ["succeeded", "failed", "expired", "cancelled", "skipped"];

/// In the log as events show it, the final state of an instance is its last.
pub(super) fn check(evidence: &Evidence) -> Result<(), Violation> {
    let mut ended = BTreeMap::new();
    for change in evidence.log.changes() {
        let instance = (change.graph, change.node, change.instance);
        if let Some((index, state)) = ended.get(&instance) {
            let what = format!(
                "{}/{}[{}] is {} at index {}, and was {state} at index {index}",
                change.graph, change.node, change.instance, change.state, change.index
            );
            return Err(Violation::new(PROPERTY, what));
        }
        if FINAL.contains(&change.state) {
            ended.insert(instance, (change.index, change.state));
        }
    }
    Ok(())
}

/// In every replica, an instance that does not overlap has at most one result.
pub(super) fn check_replicas(replicas: &[State]) -> Result<(), Violation> {
    for graph in replicas.iter().flat_map(|state| state.graphs_from(GraphNo(0))) {
        for (node, spec) in graph.shape().nodes() {
            for index in 0..spec.instances() {
                let Some(instance) = graph.instance(node, index) else { continue };
                let succeeded = instance.closed.iter().filter(|closed| closed.ending == Ending::Succeeded).count();
                let overlaps = graph.shape().tool(node).effects.may_overlap();
                let accepted = instance.state == InstanceState::Succeeded;
                if !overlaps && (succeeded > 1 || (succeeded == 1 && !accepted && !instance.state.is_final())) {
                    let what = format!("{}[{index}] has {succeeded} results and is {}", spec.id, instance.state);
                    return Err(Violation::new(PROPERTY, what));
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::checkers::sample::{change, finds, with};

    #[test]
    fn a_second_result_is_found() {
        finds(
            "S7",
            &with(|sample| {
                sample.everyone_reads(40, &change("g1", "write", "succeeded", Some(10)));
            }),
        );
    }
}
