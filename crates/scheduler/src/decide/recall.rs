//! What foragers keep for later while others have nothing to do.

use antfarm_model::{CostClass, ForagerNo};

use super::Liveness;
use crate::forager::{Forager, ForagerState};
use crate::index::Wanted;
use crate::instances::AttemptId;
use crate::state::State;

const CLASSES: usize = CostClass::ALL.len();

/// The attempts that foragers prefetched, have not begun as far as is known, and that somebody else could begin now: they
/// are to be handed back. Only foragers can tell whether they have begun; what has goes on.
///
/// O(foragers), and the open attempts of those that have more than slots.
pub fn recalls(state: &State, liveness: &Liveness) -> Vec<(ForagerNo, AttemptId)> {
    let keeps = |forager: &&Forager| {
        forager.prefetch > 0 && forager.open_count() > forager.slots && is_heard(forager, liveness)
    };
    let keepers: Vec<&Forager> = state.foragers().filter(keeps).collect();
    let mut recalled = Vec::new();
    if keepers.is_empty() {
        return recalled;
    }
    for class in CostClass::ALL.into_iter().filter(|class| state.ready_count(*class) == 0) {
        let mut idle: Vec<(&Forager, u32)> =
            state.foragers().filter(|forager| is_heard(forager, liveness)).filter_map(|f| slots_of(f, class)).collect();
        for keeper in &keepers {
            if idle.is_empty() {
                break;
            }
            recall_from(state, keeper, class, &mut idle, &mut recalled);
        }
    }
    recalled
}

fn recall_from(
    state: &State,
    keeper: &Forager,
    class: CostClass,
    idle: &mut Vec<(&Forager, u32)>,
    recalled: &mut Vec<(ForagerNo, AttemptId)>,
) {
    let beyond = keeper.open_count().saturating_sub(keeper.slots);
    let unbegun = keeper.open[class.index()].iter().rev().filter(|(_, a)| a.started_at.is_none() && a.cancel.is_none());
    for (id, _) in unbegun.take(beyond as usize) {
        let Some(graph) = state.graph(id.instance.graph) else { continue };
        let shape = graph.shape();
        let (tool, node) = (shape.tool(id.instance.node).tool, shape.node(id.instance.node));
        let may_run = |forager: &Forager| {
            let pinned_here = node.is_some_and(|node| node.pin.is_none_or(|pin| *pin == forager.name));
            forager.no != keeper.no && pinned_here && forager.may_use(tool)
        };
        let Some(at) = idle.iter().position(|(forager, _)| may_run(forager)) else { continue };
        idle[at].1 -= 1;
        if idle[at].1 == 0 {
            idle.swap_remove(at);
        }
        recalled.push((keeper.no, *id));
    }
}

fn is_heard(forager: &Forager, liveness: &Liveness) -> bool {
    let contact = liveness.contact(forager);
    forager.state() == ForagerState::Ready
        && contact.is_some_and(|contact| contact.broken_at.is_none() && !contact.draining)
}

fn slots_of(forager: &Forager, class: CostClass) -> Option<(&Forager, u32)> {
    let free = Wanted::Slot.at(forager, class, &[0; CLASSES]);
    (free > 0).then_some((forager, free))
}
