//! S7: an instance accepts one result.

use antfarm_model::GraphNo;
use antfarm_scheduler::{Ending, InstanceState, State};

use super::Violation;

pub(super) fn check(replicas: &[State]) -> Result<(), Violation> {
    for graph in replicas.iter().flat_map(|state| state.graphs_from(GraphNo(0))) {
        for (node, spec) in graph.shape().nodes() {
            for index in 0..spec.instances() {
                let Some(instance) = graph.instance(node, index) else { continue };
                let succeeded = instance.closed.iter().filter(|closed| closed.ending == Ending::Succeeded).count();
                let overlaps = graph.shape().tool(node).effects.may_overlap();
                let accepted = instance.state == InstanceState::Succeeded;
                if !overlaps && (succeeded > 1 || (succeeded == 1 && !accepted && !instance.state.is_final())) {
                    let what = format!("{}[{index}] has {succeeded} results and is {}", spec.id, instance.state);
                    return Err(Violation::new("S7 one accepted result", what));
                }
            }
        }
    }
    Ok(())
}
