//! What must hold in every state: one function for each invariant.

use std::collections::BTreeMap;
use std::sync::Arc;

use antfarm_model::{EffectClass, ForagerNo, ToolNo};

use crate::graph_record::{Counts, GraphPhase, GraphRecord};
use crate::index::{Index, Timers};
use crate::instance::{Instance, InstanceState};
use crate::instances::AttemptId;
use crate::state::{Core, State};

/// States with fewer instances and attempts are checked in full after every apply.
#[cfg(checked_state)]
const SMALL: usize = 1_000;

/// Larger ones are checked in full after this many applies.
#[cfg(checked_state)]
const EVERY: u64 = 1_024;

impl State {
    /// Checks every invariant. O(n log n).
    ///
    /// # Panics
    /// With the name of the invariant that does not hold, and where.
    pub fn check(&self) {
        let core = &self.core;
        for graph in core.graphs.values() {
            counts_are_true(graph);
            open_attempts_have_open_states(graph);
            only_some_effects_overlap(graph);
            progress_is_true(graph);
            finished_graphs_are_finished(graph);
        }
        attempts_are_known_on_both_sides(core);
        foragers_keep_their_slots(core);
        tool_users_are_counted(core);
        self.tools_are_known_for_a_reason();
        self.indexes_are_derived();
    }

    #[cfg(checked_state)]
    pub(crate) fn check_after_apply(&self) {
        let instances: usize = self.core.graphs.values().map(|graph| graph.instances.len()).sum();
        if instances + self.index.holding.total() < SMALL || self.core.applied.index.0.is_multiple_of(EVERY) {
            self.check();
        }
    }

    fn tools_are_known_for_a_reason(&self) {
        for (no, tool) in &self.core.tools {
            let reason = tool.manifest.is_some() || tool.users > 0 || self.index.holders.contains_key(no);
            assert!(reason, "tool {}: without a manifest, in no graph and at no forager", tool.name);
        }
    }

    fn indexes_are_derived(&self) {
        let derived = Index::rebuild(&self.core);
        let Index { tools, holders, foragers, graphs, holding, finished, ready, timers, free, changed: _ } =
            &self.index;
        assert_eq!(*tools, derived.tools, "the index of tools is derived");
        assert_eq!(*holders, derived.holders, "the holders of tools are derived");
        assert_eq!(*foragers, derived.foragers, "the index of foragers is derived");
        assert_eq!(*graphs, derived.graphs, "the index of graphs is derived");
        assert_eq!(*holding, derived.holding, "who holds attempts of which graph is derived");
        assert_eq!(*finished, derived.finished, "the index of finished graphs is derived");
        assert_eq!(*ready, derived.ready, "the ready queues are derived");
        assert_eq!(*free, derived.free, "the index of free slots is derived");
        assert!(timers.covers(&derived.timers, self.core.wall, self.core.elapsed), "every timer that is needed is set");
        let of_foragers = |timers: &Timers| timers.of_foragers(self.core.elapsed).cloned().collect::<Vec<_>>();
        assert_eq!(of_foragers(timers), of_foragers(&derived.timers), "foragers have no timer that is not needed");
    }
}

fn counts_are_true(graph: &GraphRecord) {
    let mut counts = Counts::default();
    graph.instances.iter().for_each(|instance| counts.add(instance.state, 1));
    assert_eq!(counts, graph.counts, "graph {}: the counts of its instances are true", graph.no);
}

fn open_attempts_have_open_states(graph: &GraphRecord) {
    for (id, instance) in graph.each_instance() {
        let needs_one = matches!(instance.state, InstanceState::Assigned | InstanceState::Running);
        assert!(!needs_one || !instance.open.is_empty(), "{id}: {} without an open attempt", instance.state);
        let has_none = matches!(instance.state, InstanceState::Waiting | InstanceState::NeedsDecision);
        assert!(!has_none || instance.open.is_empty(), "{id}: {} with an open attempt", instance.state);
        let undecided = instance.closed.last().is_some_and(|last| last.decided.is_none());
        let needs_decision = instance.state == InstanceState::NeedsDecision;
        assert!(!needs_decision || undecided, "{id}: {} about nothing, or what was decided", instance.state);
        assert!(instance.closed.len() <= Instance::MAX_CLOSED, "{id}: remembers {} attempts", instance.closed.len());
    }
}

fn only_some_effects_overlap(graph: &GraphRecord) {
    for (id, instance) in graph.each_instance() {
        let effects = graph.shape.tool(id.node).effects;
        let most = if effects.may_overlap() { 2 } else { 1 };
        assert!(instance.open.len() <= most, "{id}: {} open attempts of a tool that is {effects}", instance.open.len());
        let guarded = matches!(effects, EffectClass::Guarded | EffectClass::Irrevocable);
        let reissued = instance.state == InstanceState::Ready && !instance.open.is_empty();
        assert!(!guarded || !reissued, "{id}: ready again while an attempt of a tool that is {effects} is open");
    }
}

fn progress_is_true(graph: &GraphRecord) {
    for (node, spec) in graph.shape.nodes() {
        let progress = graph.progress(node).expect("every node has its progress");
        let succeeded = (0..spec.instances())
            .filter_map(|index| graph.instance(node, index))
            .filter(|instance| instance.state == InstanceState::Succeeded)
            .count();
        let settled = spec.instances() - progress.unsettled;
        assert!(settled as usize >= succeeded, "graph {}, node {node}: a result counts as settled", graph.no);
        assert!(
            progress.unresolved <= graph.shape.dependency_count(node),
            "graph {}, node {node}: dependencies",
            graph.no
        );
    }
}

fn finished_graphs_are_finished(graph: &GraphRecord) {
    assert_eq!(
        graph.finished_at.is_some(),
        !graph.has_unfinished(),
        "graph {}: finished when nothing is left",
        graph.no
    );
    let stopped = matches!(graph.phase, GraphPhase::Stopped(_));
    assert!(stopped || graph.finished_at.is_none(), "graph {}: a finished graph has a fate", graph.no);
}

fn attempts_are_known_on_both_sides(core: &Core) {
    let mut at_instances: BTreeMap<AttemptId, ForagerNo> = BTreeMap::new();
    for graph in core.graphs.values() {
        for (instance, record) in graph.each_instance() {
            at_instances
                .extend(record.open.iter().map(|open| (AttemptId { instance, fence: open.fence }, open.forager)));
        }
    }
    let at_foragers: BTreeMap<AttemptId, ForagerNo> =
        core.foragers.values().flat_map(|forager| forager.attempts().map(|(id, _)| (*id, forager.no))).collect();
    assert_eq!(at_instances, at_foragers, "instances and foragers agree on the open attempts");
}

fn foragers_keep_their_slots(core: &Core) {
    for forager in core.foragers.values() {
        for (id, attempt) in forager.attempts() {
            assert_eq!(attempt.incarnation, forager.incarnation, "{id}: addressed to the incarnation that counts");
        }
        assert!(!forager.lost || forager.open_count() == 0, "forager {}: lost, with open attempts", forager.name);
        let has = |tool| forager.tools.contains(&tool);
        assert!(forager.standing.keeps_bounds(has), "forager {}: what speaks against it is bounded", forager.name);
    }
}

fn tool_users_are_counted(core: &Core) {
    let mut users: BTreeMap<ToolNo, u32> = core.tools.keys().map(|tool| (*tool, 0)).collect();
    for tool in core.graphs.values().map(Arc::as_ref).flat_map(|graph| graph.shape().tools()) {
        *users.get_mut(&tool.tool).expect("a tool that is used is known") += 1;
    }
    assert!(core.tools.values().map(|tool| tool.users).eq(users.into_values()), "the users of every tool are counted");
}
