//! The product's own state machine as a part of the model: every state that is met is kept once, and so is every step.
//!
//! States that differ only in the numbers of log entries are one: a fence or an incarnation is compared with others for
//! being the same one, never by its distance. So the log may grow without end, and the states are finitely many.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use antfarm_model::{
    CostClass, EffectClass, Elapsed, Fence, Incarnation, Limits, LogIndex, Manifest, Name, WallTime, document,
};
use antfarm_scheduler::{
    AttemptId, Command, Entry, Forager, GraphSource, Instance, LoadError, OpenAttempt, Position, Reply, State,
};

use super::order::{INSTANCE, Order, TOOL, forager_no, registration};
use super::view::View;
use super::world::{ATTEMPTS, FORAGERS};

/// The number of a state.
pub(super) type CoreNo = u32;

/// A name for what no state has.
const UNKNOWN: u64 = 1 << 40;

/// A state of the state machine, and what the names of the model are in it.
#[derive(Debug)]
pub(super) struct Core {
    pub(super) state: State,
    pub(super) view: View,
    fences: [Option<Fence>; ATTEMPTS],
    incarnations: [Vec<Incarnation>; FORAGERS],
}

/// All states that were met.
#[derive(Debug)]
pub(super) struct Cores(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    cores: Vec<Arc<Core>>,
    numbers: BTreeMap<String, CoreNo>,
    steps: BTreeMap<(CoreNo, u64, Vec<Order>), CoreNo>,
}

impl Cores {
    /// The state from which everything begins: both foragers are registered by the leader of term 1, and one node of a tool
    /// of that class is ready.
    pub(super) fn new(effects: EffectClass) -> (Self, CoreNo) {
        let mut state = State::new(0);
        let manifest = Manifest { effects, ..Manifest::new(name(TOOL), CostClass::Cpu) };
        let text = format!("{{id: g, nodes: {{n: {{tool: {TOOL}}}}}}}");
        let graph = document::graph(text.as_bytes(), &Limits::default()).expect("the graph is good");
        let source = GraphSource::Inline(GraphSource::encode(&graph).into());
        let mut incarnations = <[Vec<Incarnation>; FORAGERS]>::default();
        for (forager, own) in incarnations.iter_mut().enumerate() {
            let answers = apply(&mut state, 1, vec![Command::Register(registration(forager, 0))]);
            own.extend(answers.iter().filter_map(registered));
        }
        apply(&mut state, 1, vec![Command::PutTool(manifest)]);
        apply(&mut state, 1, vec![Command::Submit(source)]);
        let mut known = Known::default();
        let first = known.number(Core::new(state, [None; ATTEMPTS], incarnations));
        (Self(Mutex::new(known)), first)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).cores.len()
    }

    pub(super) fn core(&self, number: CoreNo) -> Arc<Core> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner).cores[number as usize])
    }

    /// Applies an entry that was written in that term.
    pub(super) fn apply(&self, number: CoreNo, term: u64, orders: &[Order]) -> CoreNo {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let step = (number, term, orders.to_vec());
        if let Some(after) = known.steps.get(&step) {
            return *after;
        }
        let after = known.cores[number as usize].after(term, orders);
        let after = known.number(after);
        known.steps.insert(step, after);
        after
    }
}

impl Known {
    fn number(&mut self, core: Core) -> CoreNo {
        let next = CoreNo::try_from(self.cores.len()).expect("there are few");
        let number = *self.numbers.entry(core.named()).or_insert(next);
        if number == next {
            self.cores.push(Arc::new(core));
        }
        number
    }
}

impl Core {
    fn new(state: State, fences: [Option<Fence>; ATTEMPTS], incarnations: [Vec<Incarnation>; FORAGERS]) -> Self {
        let view = View::of(&state, &fences, &incarnations);
        Self { state, view, fences, incarnations }
    }

    /// The fence of an attempt; one that nobody has if the state does not know it.
    pub(super) fn fence(&self, attempt: usize) -> Fence {
        self.fences[attempt].unwrap_or(Fence(UNKNOWN + attempt as u64))
    }

    /// The n-th incarnation of a forager; one that nobody has if the state does not know it.
    pub(super) fn incarnation(&self, forager: usize, number: u8) -> Incarnation {
        let known = self.incarnations[forager].get(usize::from(number)).copied();
        known.unwrap_or(Incarnation(UNKNOWN + u64::from(number)))
    }

    pub(super) fn forager(&self, forager: usize) -> &Forager {
        self.state.forager(forager_no(forager)).expect("no forager is ever forgotten here")
    }

    fn after(&self, term: u64, orders: &[Order]) -> Self {
        let records: Vec<_> = self.state.snapshot().records().map(Ok::<_, LoadError>).collect();
        let mut state = State::load(records).expect("a snapshot loads");
        let (mut fences, mut incarnations) = (self.fences, self.incarnations.clone());
        let answers = apply(&mut state, term, orders.iter().map(|order| order.command(self)).collect());
        for (order, answer) in orders.iter().zip(&answers) {
            if let (Order::Assign { attempt, .. }, Ok(_)) = (order, answer) {
                fences[*attempt] = Some(state.fence(state.applied().index));
            }
            if let (Order::Register { forager, .. }, Some(new)) = (order, registered(answer)) {
                let own = &mut incarnations[*forager];
                own.extend(Some(new).filter(|new| !own.contains(new)));
            }
        }
        Self::new(state, fences, incarnations)
    }

    /// Everything that the state knows of foragers and the instance, with names in place of numbers of log entries.
    fn named(&self) -> String {
        let fence = |fence: Fence| {
            let name = self.fences.iter().position(|known| *known == Some(fence));
            Fence(name.expect("every fence has a name") as u64)
        };
        let foragers: Vec<Forager> = (0..FORAGERS).map(|number| self.named_forager(number, fence)).collect();
        let (graph, instance) = self.state.instance(INSTANCE).expect("it is never removed here");
        let mut named: Instance = instance.clone();
        let story = named.story_mut();
        story.open = instance.open.iter().map(|open| OpenAttempt { fence: fence(open.fence), ..*open }).collect();
        story.closed.iter_mut().for_each(|closed| closed.fence = fence(closed.fence));
        let term = self.state.applied().term;
        format!("{term} {foragers:?} {named:?} {:?} {}", graph.phase, graph.finished_at.is_some())
    }

    fn named_forager(&self, number: usize, fence: impl Fn(Fence) -> Fence) -> Forager {
        let incarnation = |incarnation: Incarnation| {
            let name = self.incarnations[number].iter().position(|known| *known == incarnation);
            Incarnation(name.expect("every incarnation has a name") as u64)
        };
        let mut named = self.forager(number).clone();
        named.incarnation = incarnation(named.incarnation);
        for open in &mut named.open {
            let attempts = std::mem::take(open).into_iter().map(|(id, mut attempt)| {
                attempt.incarnation = incarnation(attempt.incarnation);
                (AttemptId { fence: fence(id.fence), ..id }, attempt)
            });
            *open = attempts.collect();
        }
        named
    }
}

type Answer = Result<Reply, antfarm_scheduler::Refusal>;

/// The clocks of the state stand still: what only they move (deadlines, back-offs, time-outs) is no part of the model.
fn apply(state: &mut State, term: u64, commands: Vec<Command>) -> Vec<Answer> {
    let position = Position { index: LogIndex(state.applied().index.0 + 1), term };
    let entry = Entry { epoch: state.epoch(term), wall: WallTime(0), elapsed: Elapsed(0), commands };
    state.apply(position, &entry).answers
}

fn registered(answer: &Answer) -> Option<Incarnation> {
    if let Ok(Reply::Registered { incarnation, .. }) = answer { Some(*incarnation) } else { None }
}

pub(super) fn name(text: &str) -> Name {
    Name::new(text).expect("the model uses good names")
}
