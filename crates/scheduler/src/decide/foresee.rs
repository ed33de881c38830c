//! What an entry will make ready is assigned in the same entry, so that a node on an idle cluster waits for one entry less.
//!
//! A guess on which nothing relies: apply refuses what does not hold, and the next decision sees what is left. It takes only
//! free slots, and only for lanes in which nothing else waits, so that nobody is overtaken.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use antfarm_model::{CostClass, GraphNo, Name, NodeNo};

use super::assign::{Place, Placement, Runs};
use super::{Liveness, Now};
use crate::command::{AttemptOutcome, Command, GraphSource};
use crate::graph_record::{GraphPhase, GraphRecord};
use crate::in_flight::InFlight;
use crate::index::{Head, Lane};
use crate::instances::{InstanceId, Instances};
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
    /// The classes of the nodes that they are about; the state may not know their graphs yet.
    pub(crate) classes: BTreeMap<(GraphNo, NodeNo), CostClass>,
}

/// A node that becomes ready with the entry.
struct Becoming {
    shape: Arc<Shape>,
    graph: GraphNo,
    node: NodeNo,
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
    let mut becoming = if in_flight.submits_beside(proposal) { Vec::new() } else { submitted(state, commands) };
    becoming.extend(released(state, commands));
    if becoming.is_empty() {
        return Foreseen::default();
    }
    let nobody = BTreeSet::new();
    let mut guess = Guess {
        state,
        in_flight,
        now,
        placement: Placement::new(state, in_flight, now, liveness, &nobody),
        runs: Runs::default(),
        classes: BTreeMap::new(),
    };
    for node in &becoming {
        guess.give(node);
    }
    let Guess { runs, classes, .. } = guess;
    Foreseen { commands: runs.into_commands(state), classes }
}

/// The first nodes of small new graphs, which are numbered in the order of their submissions.
fn submitted(state: &State, commands: &[&Command]) -> Vec<Becoming> {
    let mut becoming = Vec::new();
    let mut graph = state.core.next_graph;
    let mut ids: Vec<Name> = Vec::new();
    for command in commands {
        let Command::Submit(source) = command else { continue };
        let GraphSource::Inline(bytes) = source else { break };
        if bytes.len() > MAX_GRAPH_BYTES {
            break;
        }
        let Ok(document) = GraphSource::decode(bytes) else { break };
        if state.is_taken(&document.id) || ids.contains(&document.id) {
            continue;
        }
        ids.push(document.id.clone());
        let Ok(shape) = Shape::new(document, |name| state.tool_use(name)).map(Arc::new) else { continue };
        let roots = shape.nodes().map(|(node, _)| node).filter(|node| shape.dependency_count(*node) == 0);
        becoming.extend(roots.map(|node| Becoming { shape: Arc::clone(&shape), graph, node }));
        graph = GraphNo(graph.0 + 1);
    }
    becoming
}

/// What waits only for instances that succeed in this entry.
fn released(state: &State, commands: &[&Command]) -> Vec<Becoming> {
    let mut becoming = Vec::new();
    let mut settled: BTreeMap<(GraphNo, NodeNo), u32> = BTreeMap::new();
    let mut resolved: BTreeMap<(GraphNo, NodeNo), u32> = BTreeMap::new();
    for (graph, id) in succeeded(state, commands) {
        let shape = graph.shape();
        let settled = settled.entry((id.graph, id.node)).or_default();
        *settled += 1;
        let all_are = graph.progress(id.node).is_some_and(|progress| progress.unsettled == *settled);
        let of_all = if all_are { shape.successors_of_all(id.node) } else { &[] };
        for successor in of_all.iter().chain(shape.successors_of_one(id.node, id.index)) {
            let resolved = resolved.entry((id.graph, successor.node)).or_default();
            *resolved += 1;
            let progress = graph.progress(successor.node);
            if progress.is_some_and(|progress| !progress.skipped && progress.unresolved == *resolved) {
                becoming.push(Becoming { shape: Arc::clone(&graph.shape), graph: id.graph, node: successor.node });
            }
        }
    }
    becoming
}

/// The instances whose success apply will take and for which others wait, with their graphs.
fn succeeded<'a>(state: &'a State, commands: &'a [&Command]) -> impl Iterator<Item = (&'a GraphRecord, InstanceId)> {
    let ends = commands.iter().filter_map(|command| {
        let Command::End { forager, attempts, outcome: AttemptOutcome::Succeeded { .. } } = command else {
            return None;
        };
        let graph = state.graph(attempts.instances.graph)?;
        let matters = graph.phase == GraphPhase::Running && graph.shape().has_successors(attempts.instances.node);
        matters.then_some((graph, *forager, attempts))
    });
    ends.flat_map(move |(graph, forager, attempts)| {
        let accepted = attempts.iter().filter(move |id| state.holder(id) == Some(forager));
        accepted.map(move |id| (graph, id.instance))
    })
}

struct Guess<'a> {
    state: &'a State,
    in_flight: &'a InFlight,
    now: Now,
    placement: Placement<'a>,
    runs: Runs,
    classes: BTreeMap<(GraphNo, NodeNo), CostClass>,
}

impl Guess<'_> {
    fn give(&mut self, becoming: &Becoming) {
        let Becoming { shape, graph, node } = becoming;
        let (graph, node) = (*graph, *node);
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
            self.classes.insert((graph, node), class);
        }
    }

    /// Whether something of a lane is ready and not on its way to a forager.
    fn others_wait(&self, class: CostClass, lane: &Lane) -> bool {
        let mut heads = self.state.index.ready.walk(class, lane);
        let is_assigned = |head: Head| self.in_flight.is_assigned(&head.instance);
        heads.by_ref().take(MAX_ASSIGNED).any(|head| !is_assigned(head)) || heads.next().is_some()
    }
}
