//! What an entry will make ready is assigned in the same entry, so that a node on an idle cluster waits for one entry less.
//!
//! A guess on which nothing relies: apply refuses what does not hold, and the next decision sees what is left. It takes only
//! free slots, and only for lanes in which nothing else waits, so that nobody is overtaken.

use std::collections::{BTreeMap, BTreeSet};

use antfarm_model::{CostClass, ForagerNo, GraphNo, Name, NodeNo};

use super::assign::{Place, Placement, Runs};
use super::{Liveness, Now};
use crate::command::{AttemptOutcome, Command, GraphSource};
use crate::graph_record::{GraphPhase, GraphRecord};
use crate::in_flight::{InFlight, Taken};
use crate::index::{Head, Lane};
use crate::instances::{Attempts, InstanceId, Instances};
use crate::shape::Shape;
use crate::state::State;

/// Larger graphs wait for the entry after theirs: to read them takes longer than to wait.
const MAX_GRAPH_BYTES: usize = 4_096;

/// Instances that one entry's guesses may assign.
const MAX_INSTANCES: usize = 256;

/// Ready instances of a lane that are looked at for one that nobody has assigned yet.
const MAX_ASSIGNED: usize = 64;

/// Assignments of what is not ready yet.
#[derive(Debug, Default)]
pub struct Foreseen {
    /// The commands, to be applied behind those that they were foreseen from.
    pub commands: Vec<Command>,
    /// The slots that they take.
    pub(crate) taken: Taken,
    /// Their classes, in order.
    pub(crate) served: Vec<CostClass>,
}

/// What can be assigned of what `commands` make ready. They are those of an entry of the number `proposal`, noted in
/// `in_flight` already. O(bytes of small graphs + successors of what ends), with O(log n) for each.
pub fn foresee(
    state: &State,
    in_flight: &InFlight,
    proposal: u64,
    now: Now,
    liveness: &Liveness,
    commands: &[&Command],
) -> Foreseen {
    let nobody = BTreeSet::new();
    let mut guess = Guess {
        state,
        in_flight,
        now,
        placement: Placement::new(state, in_flight, now, liveness, &nobody),
        runs: Runs::default(),
        foreseen: Foreseen::default(),
    };
    if !in_flight.submits_beside(proposal) {
        guess.submitted(commands);
    }
    guess.ended(commands);
    let Guess { runs, mut foreseen, .. } = guess;
    foreseen.commands = runs.into_commands(state);
    foreseen
}

struct Guess<'a> {
    state: &'a State,
    in_flight: &'a InFlight,
    now: Now,
    placement: Placement<'a>,
    runs: Runs,
    foreseen: Foreseen,
}

impl Guess<'_> {
    /// New graphs are numbered in the order of their submissions.
    fn submitted(&mut self, commands: &[&Command]) {
        let mut next = self.state.core.next_graph;
        let mut ids: Vec<Name> = Vec::new();
        for command in commands {
            let Command::Submit(source) = command else { continue };
            let GraphSource::Inline(bytes) = source else { return };
            if bytes.len() > MAX_GRAPH_BYTES {
                return;
            }
            let Ok(graph) = GraphSource::decode(bytes) else { return };
            if self.state.is_taken(&graph.id) || ids.contains(&graph.id) {
                continue;
            }
            ids.push(graph.id.clone());
            let Ok(shape) = Shape::new(graph, |name| self.state.tool_use(name)) else { continue };
            let roots = shape.nodes().map(|(node, _)| node).filter(|node| shape.dependency_count(*node) == 0);
            roots.for_each(|node| self.give(&shape, next, node));
            next = GraphNo(next.0 + 1);
        }
    }

    /// What waits only for instances that succeed in this entry.
    fn ended(&mut self, commands: &[&Command]) {
        let mut settled: BTreeMap<(GraphNo, NodeNo), u32> = BTreeMap::new();
        let mut resolved: BTreeMap<(GraphNo, NodeNo), u32> = BTreeMap::new();
        for command in commands {
            let Command::End { forager, attempts, outcome: AttemptOutcome::Succeeded { .. } } = command else {
                continue;
            };
            let Instances { graph: no, node, .. } = attempts.instances;
            let Some(graph) = self.state.graph(no).filter(|graph| graph.phase == GraphPhase::Running) else { continue };
            if !graph.shape().has_successors(node) {
                continue;
            }
            for id in self.accepted(*forager, attempts) {
                let settled = settled.entry((no, node)).or_default();
                *settled += 1;
                let all_are = graph.progress(node).is_some_and(|progress| progress.unsettled == *settled);
                let of_all = if all_are { graph.shape().successors_of_all(node) } else { &[] };
                for successor in of_all.iter().chain(graph.shape().successors_of_one(node, id.index)) {
                    let resolved = resolved.entry((no, successor.node)).or_default();
                    *resolved += 1;
                    let becomes_ready = |graph: &GraphRecord| {
                        let progress = graph.progress(successor.node);
                        progress.is_some_and(|progress| !progress.skipped && progress.unresolved == *resolved)
                    };
                    if becomes_ready(graph) {
                        self.give(graph.shape(), no, successor.node);
                    }
                }
            }
        }
    }

    /// The instances whose end apply will take.
    fn accepted(&self, forager: ForagerNo, attempts: &Attempts) -> Vec<InstanceId> {
        attempts.iter().filter(|id| self.state.holder(id) == Some(forager)).map(|id| id.instance).collect()
    }

    fn give(&mut self, shape: &Shape, graph: GraphNo, node: NodeNo) {
        let Some(spec) = shape.node(node) else { return };
        let too_early = spec.not_before.is_some_and(|moment| moment > self.now.wall);
        let too_late = spec.deadline.is_some_and(|deadline| deadline <= self.now.wall);
        let (class, lane) = (shape.tool(node).class, Lane::of(shape, node));
        if too_early || too_late || self.others_wait(class, &lane) {
            return;
        }
        for instance in (Instances { graph, node, start: 0, len: spec.instances() }).iter() {
            if self.runs.len() == MAX_INSTANCES {
                return;
            }
            let Place::At(forager) = self.placement.place(class, &lane, instance) else { return };
            self.runs.push(forager, instance);
            self.foreseen.taken.entry(forager).or_default()[class.index()] += 1;
            self.foreseen.served.push(class);
        }
    }

    /// Whether something of a lane is ready and not on its way to a forager.
    fn others_wait(&self, class: CostClass, lane: &Lane) -> bool {
        let mut heads = self.state.index.ready.walk(class, lane);
        let is_assigned = |head: Head| self.in_flight.is_assigned(&head.instance);
        heads.by_ref().take(MAX_ASSIGNED).any(|head| !is_assigned(head)) || heads.next().is_some()
    }
}
