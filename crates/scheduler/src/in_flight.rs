//! What this leader has proposed and not yet seen applied, so that nothing is proposed twice.

use std::collections::{BTreeMap, BTreeSet};

use antfarm_model::{CostClass, ForagerNo, GraphNo};

use crate::command::Command;
use crate::instances::InstanceId;
use crate::state::State;
use crate::turns::Turns;

const CLASSES: usize = CostClass::ALL.len();

/// Proposals on their way through the log.
#[derive(Debug, Default)]
pub struct InFlight {
    proposals: BTreeMap<u64, Proposal>,
    assigned: BTreeSet<InstanceId>,
    taken: BTreeMap<ForagerNo, [u32; CLASSES]>,
    turns: Option<Turns>,
    /// Proposals that judge or register a forager.
    touched: BTreeMap<ForagerNo, usize>,
}

#[derive(Debug, Default)]
struct Proposal {
    assigned: Vec<InstanceId>,
    taken: BTreeMap<ForagerNo, [u32; CLASSES]>,
    foragers: BTreeSet<ForagerNo>,
    graphs: BTreeSet<GraphNo>,
}

impl InFlight {
    /// Notes the commands of a proposal. `proposal` is the caller's own number for it, never used twice.
    pub fn add(&mut self, proposal: u64, state: &State, commands: &[Command]) {
        let mut noted = Proposal::default();
        for command in commands {
            match command {
                Command::Assign { forager, instances, .. } => {
                    let Some(graph) = state.graph(instances.graph) else { continue };
                    let class = graph.shape().tool(instances.node).class;
                    noted.assigned.extend(instances.iter());
                    noted.taken.entry(*forager).or_default()[class.index()] += instances.len;
                    self.turns.get_or_insert(state.core.turns).serve(class);
                }
                Command::Suspect { forager, .. } | Command::Trust { forager, .. } | Command::Lose { forager, .. } => {
                    noted.foragers.insert(*forager);
                }
                Command::Register(registration) => {
                    noted.foragers.extend(state.forager_named(registration.name.as_str()).map(|forager| forager.no));
                }
                Command::RemoveGraph { graph, .. } => {
                    noted.graphs.insert(*graph);
                }
                Command::PutTool(_)
                | Command::DeleteTool { .. }
                | Command::Upload { .. }
                | Command::Submit(_)
                | Command::CancelGraph { .. }
                | Command::PauseGraph { .. }
                | Command::ResumeGraph { .. }
                | Command::Decide(_)
                | Command::Drain { .. }
                | Command::Undrain { .. }
                | Command::Started { .. }
                | Command::Reject { .. }
                | Command::Return { .. }
                | Command::End { .. } => {}
            }
        }
        self.assigned.extend(&noted.assigned);
        for (forager, counts) in &noted.taken {
            let sum = self.taken.entry(*forager).or_default();
            (0..CLASSES).for_each(|class| sum[class] += counts[class]);
        }
        for forager in &noted.foragers {
            *self.touched.entry(*forager).or_default() += 1;
        }
        self.proposals.insert(proposal, noted);
    }

    /// Forgets a proposal, once its outcome has been applied or it is certain that it never will be.
    pub fn settle(&mut self, proposal: u64) {
        let Some(noted) = self.proposals.remove(&proposal) else { return };
        for id in &noted.assigned {
            self.assigned.remove(id);
        }
        for (forager, counts) in &noted.taken {
            let Some(sum) = self.taken.get_mut(forager) else { continue };
            (0..CLASSES).for_each(|class| sum[class] -= counts[class]);
            if *sum == [0; CLASSES] {
                self.taken.remove(forager);
            }
        }
        for forager in &noted.foragers {
            let Some(count) = self.touched.get_mut(forager) else { continue };
            *count -= 1;
            if *count == 0 {
                self.touched.remove(forager);
            }
        }
        if self.proposals.is_empty() {
            self.turns = None;
        }
    }

    /// The number of proposals.
    pub fn len(&self) -> usize {
        self.proposals.len()
    }

    /// Whether nothing is on its way.
    pub fn is_empty(&self) -> bool {
        self.proposals.is_empty()
    }

    pub(crate) fn is_assigned(&self, id: &InstanceId) -> bool {
        self.assigned.contains(id)
    }

    pub(crate) fn taken(&self, forager: ForagerNo) -> [u32; CLASSES] {
        self.taken.get(&forager).copied().unwrap_or_default()
    }

    /// Whose turn it is when everything on its way has been applied.
    pub(crate) fn turns(&self) -> Option<Turns> {
        self.turns
    }

    /// Whether a judgement on the forager, or a new registration, is on its way: until then it gets nothing.
    pub fn touches_forager(&self, forager: ForagerNo) -> bool {
        self.touched.contains_key(&forager)
    }

    pub(crate) fn removes_graph(&self, graph: GraphNo) -> bool {
        self.proposals.values().any(|proposal| proposal.graphs.contains(&graph))
    }
}
