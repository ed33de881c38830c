//! The counters that follow from what changed.

use antfarm_scheduler::{Event, Instance, InstanceId, InstanceState, State};

use crate::metrics::Metrics;

/// Counts events. The state may be a little ahead of them.
pub(super) fn count(state: &State, events: &[Event], metrics: &Metrics) {
    for event in events {
        if let Event::Rejected { number, reason, .. } = event {
            metrics.rejected(*reason, (*number).into());
        }
        let Event::Instances { instances, state: now, .. } = event else { continue };
        match now {
            InstanceState::Assigned => {
                let Some(graph) = state.graph(instances.graph) else { continue };
                metrics.assigned(graph.shape().tool(instances.node).class, instances.len.into());
                for instance in instances.iter().filter_map(|id| find(state, id)) {
                    if instance.open.len() > 1 {
                        metrics.reissued_beside();
                    } else if let Some(former) = instance.closed.last() {
                        metrics.reissued_after(former.ending);
                    }
                }
            }
            InstanceState::Succeeded
            | InstanceState::Failed
            | InstanceState::Expired
            | InstanceState::Cancelled
            | InstanceState::NeedsDecision => metrics.ended(*now, instances.len.into()),
            InstanceState::Waiting | InstanceState::Ready | InstanceState::Running | InstanceState::Skipped => {}
        }
    }
}

fn find(state: &State, id: InstanceId) -> Option<&Instance> {
    state.instance(id).map(|(_, instance)| instance)
}
