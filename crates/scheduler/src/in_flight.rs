//! What this leader has proposed and not yet seen applied, so that nothing is proposed twice.

use std::collections::{BTreeMap, BTreeSet};

use antfarm_model::{CostClass, ForagerNo, GraphNo, NodeNo};

use crate::command::Command;
use crate::decide::Foreseen;
use crate::instances::{AttemptId, Attempts, InstanceId};
use crate::state::State;
use crate::turns::Turns;

const CLASSES: usize = CostClass::ALL.len();

/// Slots by forager and class.
type Taken = BTreeMap<ForagerNo, [u32; CLASSES]>;

/// Proposals on their way through the log.
#[derive(Debug, Default)]
pub struct InFlight {
    proposals: BTreeMap<u64, Proposal>,
    assigned: BTreeSet<InstanceId>,
    taken: Taken,
    turns: Option<Turns>,
    /// Proposals that judge or register a forager.
    touched: BTreeMap<ForagerNo, usize>,
}

#[derive(Debug, Default)]
struct Proposal {
    assigned: Vec<InstanceId>,
    taken: Taken,
    /// Attempts that it closes.
    freed: Taken,
    /// One of those. As long as it is open the proposal has not been applied.
    open: Option<(AttemptId, ForagerNo)>,
    foragers: BTreeSet<ForagerNo>,
    graphs: BTreeSet<GraphNo>,
    /// It submits graphs.
    submits: bool,
}

impl InFlight {
    /// Notes commands of a proposal. `proposal` is the caller's own number for it, never used for another.
    pub fn add(&mut self, proposal: u64, state: &State, commands: &[Command]) {
        let class_of = |(graph, node)| Some(state.graph(graph)?.shape().tool(node).class);
        self.note(proposal, state, commands, class_of);
    }

    fn note(
        &mut self,
        proposal: u64,
        state: &State,
        commands: &[Command],
        class_of: impl Fn((GraphNo, NodeNo)) -> Option<CostClass>,
    ) {
        let mut noted = Proposal::default();
        for command in commands {
            match command {
                Command::Assign { forager, instances, .. } => {
                    let Some(class) = class_of((instances.graph, instances.node)) else { continue };
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
                Command::Submit(_) => noted.submits = true,
                Command::PutTool(_)
                | Command::DeleteTool { .. }
                | Command::Upload { .. }
                | Command::CancelGraph { .. }
                | Command::PauseGraph { .. }
                | Command::ResumeGraph { .. }
                | Command::Decide(_)
                | Command::Drain { .. }
                | Command::Undrain { .. }
                | Command::Started { .. }
                | Command::Reject { .. }
                | Command::Return { .. } => {}
                Command::End { forager, attempts, .. } => noted.note_ends(state, *forager, attempts),
            }
        }
        self.assigned.extend(&noted.assigned);
        add_up(&mut self.taken, &noted.taken);
        let before = self.proposals.get(&proposal);
        for forager in noted.foragers.iter().filter(|no| before.is_none_or(|before| !before.foragers.contains(no))) {
            *self.touched.entry(*forager).or_default() += 1;
        }
        self.proposals.entry(proposal).or_default().absorb(noted);
    }

    /// Notes what was foreseen for a proposal.
    pub fn add_foreseen(&mut self, proposal: u64, state: &State, foreseen: &Foreseen) {
        self.note(proposal, state, &foreseen.commands, |node| foreseen.classes.get(&node).copied());
    }

    /// Whether another proposal than that one submits graphs.
    pub(crate) fn submits_beside(&self, proposal: u64) -> bool {
        self.proposals.iter().any(|(number, noted)| *number != proposal && noted.submits)
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

    /// How many attempts of each forager are open, and closed when everything on its way has been applied.
    pub(crate) fn freed(&self, state: &State) -> Taken {
        let is_open =
            |proposal: &&Proposal| proposal.open.is_some_and(|(id, holder)| state.holder(&id) == Some(holder));
        let mut freed = BTreeMap::new();
        self.proposals.values().filter(is_open).for_each(|proposal| add_up(&mut freed, &proposal.freed));
        freed
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

impl Proposal {
    fn note_ends(&mut self, state: &State, forager: ForagerNo, attempts: &Attempts) {
        let Some(graph) = state.graph(attempts.instances.graph) else { return };
        for id in attempts.iter().filter(|id| state.holder(id) == Some(forager)) {
            let class = graph.shape().tool(id.instance.node).class;
            self.freed.entry(forager).or_default()[class.index()] += 1;
            self.open.get_or_insert((id, forager));
        }
    }

    fn absorb(&mut self, more: Self) {
        self.assigned.extend(more.assigned);
        add_up(&mut self.taken, &more.taken);
        add_up(&mut self.freed, &more.freed);
        self.open = self.open.or(more.open);
        self.foragers.extend(more.foragers);
        self.graphs.extend(more.graphs);
        self.submits |= more.submits;
    }
}

fn add_up(sums: &mut Taken, more: &Taken) {
    for (forager, counts) in more {
        let sum = sums.entry(*forager).or_default();
        (0..CLASSES).for_each(|class| sum[class] += counts[class]);
    }
}
