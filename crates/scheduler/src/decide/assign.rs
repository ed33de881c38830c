//! Who runs what: round robin between the cost classes, deadline and submission order within one, foragers in
//! registry order.
//!
//! Free slots come first. Only when none is left for what waits, foragers that prefetch get some of it to keep, and only
//! as long as nothing irrevocable waits for a slot: that is never kept beside what runs, and must not starve behind it.
//!
//! With k classes that could use an assignment, each gets at least every k-th: the class that was served longest ago is
//! tried first, after every single instance, and neighbours are joined into ranges only afterwards. A decision costs O(log n) for each
//! assignment, and once the number of lanes that hold something.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::iter::Peekable;

use antfarm_model::{CostClass, ForagerNo, Incarnation, NodeNo, ToolNo};

use super::{Liveness, Now};
use crate::command::Command;
use crate::forager::ForagerState;
use crate::in_flight::InFlight;
use crate::index::{Head, Lane, Wanted};
use crate::instances::{InstanceId, Instances};
use crate::state::State;
use crate::turns::Turns;

const CLASSES: usize = CostClass::ALL.len();

pub(super) fn assign(
    state: &State,
    in_flight: &InFlight,
    now: Now,
    liveness: &Liveness,
    judged: &BTreeSet<ForagerNo>,
    budget: usize,
) -> Vec<Command> {
    let mut placement = Placement::new(state, in_flight, now, liveness, judged);
    let mut queues = CostClass::ALL.map(|class| Queue::new(&placement, class));
    let mut turns = in_flight.turns().unwrap_or(state.core.turns);
    let mut runs = Runs::default();
    fill(&mut runs, budget, &mut queues, &mut placement, &mut turns);
    placement.want(Wanted::Room);
    queues.iter_mut().for_each(Queue::enter_again);
    fill(&mut runs, budget, &mut queues, &mut placement, &mut turns);
    runs.into_commands(state)
}

/// Places what waits, in order, until nothing has a place.
fn fill(
    runs: &mut Runs,
    budget: usize,
    queues: &mut [Queue<'_>; CLASSES],
    placement: &mut Placement<'_>,
    turns: &mut Turns,
) {
    while runs.instances < budget {
        if queues.iter().any(Queue::holds_up_prefetching) {
            return;
        }
        let next = turns.order().into_iter().find_map(|class| {
            let (forager, instance) = queues[class.index()].next(placement)?;
            Some((class, forager, instance))
        });
        let Some((class, forager, instance)) = next else { return };
        runs.push(forager, instance);
        turns.serve(class);
    }
}

/// What waits in one lane.
type Waiting<'a> = Peekable<Box<dyn Iterator<Item = Head> + 'a>>;

/// The ready instances of one class, merged from its lanes in order.
struct Queue<'a> {
    state: &'a State,
    in_flight: &'a InFlight,
    now: Now,
    class: CostClass,
    lanes: Vec<(&'a Lane, Waiting<'a>)>,
    heads: BinaryHeap<Reverse<(Head, usize)>>,
    /// Once room is given away: the lanes whose next instance is irrevocable.
    irrevocable: Option<BTreeSet<usize>>,
}

impl<'a> Queue<'a> {
    fn new(placement: &Placement<'a>, class: CostClass) -> Self {
        let Placement { state, in_flight, now, .. } = *placement;
        let (lanes, heads, irrevocable) = (Vec::new(), BinaryHeap::new(), None);
        let mut queue = Self { state, in_flight, now, class, lanes, heads, irrevocable };
        for lane in state.index.ready.lanes(class).filter(|lane| placement.could_place(class, lane)) {
            let all = queue.waiting(state.index.ready.walk(class, lane));
            queue.lanes.push((lane, all));
        }
        (0..queue.lanes.len()).for_each(|lane| queue.enter(lane));
        queue
    }

    /// Lanes that left the queue for want of a place come back.
    fn enter_again(&mut self) {
        self.heads.clear();
        self.irrevocable = Some(BTreeSet::new());
        (0..self.lanes.len()).for_each(|lane| self.enter(lane));
    }

    /// Whether something irrevocable would be next, which waits for a slot.
    fn holds_up_prefetching(&self) -> bool {
        self.irrevocable.as_ref().is_some_and(|lanes| !lanes.is_empty())
    }

    /// The next instance that can be placed, and where. A lane whose foragers are all full leaves the queue.
    fn next(&mut self, placement: &mut Placement<'_>) -> Option<(ForagerNo, InstanceId)> {
        while let Some(Reverse((head, lane))) = self.heads.pop() {
            match placement.place(self.class, self.lanes[lane].0, head.instance) {
                Place::At(forager) => {
                    self.lanes[lane].1.next();
                    self.enter(lane);
                    return Some((forager, head.instance));
                }
                Place::NotThisOne => {
                    self.lanes[lane].1.next();
                    self.enter(lane);
                }
                Place::NotThisNode => {
                    let InstanceId { graph, node, .. } = head.instance;
                    let ready = &self.state.index.ready;
                    let behind =
                        ready.walk_from(self.class, self.lanes[lane].0, head.deadline, graph, NodeNo(node.0 + 1));
                    self.lanes[lane].1 = self.waiting(behind);
                    self.enter(lane);
                }
                Place::Full => {}
            }
        }
        None
    }

    /// What of a lane is not on its way already, and in time.
    fn waiting(&self, all: impl Iterator<Item = Head> + 'a) -> Waiting<'a> {
        let (now, in_flight) = (self.now, self.in_flight);
        let waiting = all.filter(move |head| head.deadline > now.wall && !in_flight.is_assigned(&head.instance));
        let boxed: Box<dyn Iterator<Item = Head> + 'a> = Box::new(waiting);
        boxed.peekable()
    }

    fn enter(&mut self, lane: usize) {
        let head = self.lanes[lane].1.peek().copied();
        self.heads.extend(head.map(|head| Reverse((head, lane))));
        let Some(irrevocable) = &mut self.irrevocable else { return };
        let is_irrevocable = |Head { instance: InstanceId { graph, node, .. }, .. }| {
            self.state.graph(graph).is_some_and(|graph| graph.shape().is_irrevocable(node))
        };
        if head.is_some_and(is_irrevocable) {
            irrevocable.insert(lane);
        } else {
            irrevocable.remove(&lane);
        }
    }
}

pub(super) enum Place {
    At(ForagerNo),
    /// Others of its lane may have a place.
    NotThisOne,
    /// Other nodes of its lane may have a place: every forager with a free slot would not run this one not long ago.
    NotThisNode,
    /// No instance of its lane has a place.
    Full,
}

/// The slots, or the room, that are left while a decision is being made.
pub(super) struct Placement<'a> {
    state: &'a State,
    in_flight: &'a InFlight,
    now: Now,
    liveness: &'a Liveness,
    /// Foragers on which the same decision judges.
    judged: &'a BTreeSet<ForagerNo>,
    /// Open attempts whose ends are on their way: when what is assigned now is applied, they are closed.
    freed: BTreeMap<ForagerNo, [u32; CLASSES]>,
    /// What is being given away.
    wanted: Wanted,
    /// How many more attempts a forager will have than it has, or fewer.
    more: BTreeMap<ForagerNo, [i64; CLASSES]>,
    /// The first forager of a class and tool that may still have what is wanted; it only becomes less.
    first: BTreeMap<(CostClass, ToolNo), ForagerNo>,
}

impl<'a> Placement<'a> {
    /// Gives slots away first.
    pub(super) fn new(
        state: &'a State,
        in_flight: &'a InFlight,
        now: Now,
        liveness: &'a Liveness,
        judged: &'a BTreeSet<ForagerNo>,
    ) -> Self {
        let (wanted, freed) = (Wanted::Slot, in_flight.freed(state));
        let (more, first) = (BTreeMap::new(), BTreeMap::new());
        Self { state, in_flight, now, liveness, judged, freed, wanted, more, first }
    }

    /// From now on this is given away.
    fn want(&mut self, wanted: Wanted) {
        self.wanted = wanted;
        self.first.clear();
    }

    /// Whether any forager may have a place for a lane, now or while this decision is made. O(log n).
    fn could_place(&self, class: CostClass, lane: &Lane) -> bool {
        match &lane.pin {
            Some(pin) => {
                self.state.forager_named(pin.as_str()).is_some_and(|forager| self.has(Wanted::Room, class, forager.no))
            }
            None => self.candidates(Wanted::Room, class, lane.tool, ForagerNo(0)).next().is_some(),
        }
    }

    pub(super) fn place(&mut self, class: CostClass, lane: &Lane, id: InstanceId) -> Place {
        match &lane.pin {
            Some(pin) => {
                let Some(forager) = self.state.forager_named(pin.as_str()) else { return Place::Full };
                let no = forager.no;
                if !forager.may_use(lane.tool) || !self.has(self.wanted, class, no) {
                    Place::Full
                } else if self.backs_off(no, id) {
                    Place::NotThisNode
                } else if self.holds(no, id) {
                    Place::NotThisOne
                } else {
                    self.take(class, no)
                }
            }
            None => self.place_in_registry_order(class, lane.tool, id),
        }
    }

    fn place_in_registry_order(&mut self, class: CostClass, tool: ToolNo, id: InstanceId) -> Place {
        let first = self.first.get(&(class, tool)).copied().unwrap_or_default();
        let mut full_before = true;
        let mut all_back_off = true;
        let mut first_with_some = None;
        let found = self.candidates(self.wanted, class, tool, first).find(|no| {
            if !self.has(self.wanted, class, *no) {
                return false;
            }
            full_before = false;
            first_with_some.get_or_insert(*no);
            if self.backs_off(*no, id) {
                return false;
            }
            all_back_off = false;
            !self.holds(*no, id)
        });
        if let Some(no) = first_with_some {
            self.first.insert((class, tool), no);
        }
        if let Some(no) = found {
            return self.take(class, no);
        }
        match (full_before, all_back_off) {
            (true, _) => Place::Full,
            (false, true) => Place::NotThisNode,
            (false, false) => Place::NotThisOne,
        }
    }

    /// Who may have what is wanted, in registry order: now, or when what is on its way has been applied.
    fn candidates(
        &self,
        wanted: Wanted,
        class: CostClass,
        tool: ToolNo,
        first: ForagerNo,
    ) -> impl Iterator<Item = ForagerNo> {
        let runs = move |no: &ForagerNo| self.state.forager(*no).is_some_and(|forager| forager.may_use(tool));
        let mut free = self.state.index.free.with(wanted, class, tool, first).peekable();
        let mut freed = self.freed.range(first..).map(|(no, _)| *no).filter(runs).peekable();
        std::iter::from_fn(move || match (free.peek().copied(), freed.peek().copied()) {
            (Some(one), Some(other)) if other < one => freed.next(),
            (Some(one), other) => {
                freed.next_if(|_| other == Some(one));
                free.next()
            }
            (None, _) => freed.next(),
        })
    }

    fn has(&self, wanted: Wanted, class: CostClass, no: ForagerNo) -> bool {
        let Some(forager) = self.state.forager(no) else { return false };
        let contact = self.liveness.contact(forager);
        let heard = contact.is_some_and(|contact| contact.broken_at.is_none() && !contact.draining);
        let more = self.more.get(&no).copied().unwrap_or_else(|| more_than_open(self.in_flight, &self.freed, no));
        heard
            && forager.state() == ForagerState::Ready
            && wanted.at(forager, class, &more) > 0
            && !self.judged.contains(&no)
            && !self.in_flight.touches_forager(no)
    }

    /// Whether the forager would not run the node not long ago.
    fn backs_off(&self, no: ForagerNo, id: InstanceId) -> bool {
        let standing = self.state.forager(no).map(|forager| &forager.standing);
        standing.is_some_and(|standing| standing.backs_off(id.graph, id.node, self.now.elapsed).is_some())
    }

    /// Whether another attempt at the instance is open there.
    fn holds(&self, no: ForagerNo, id: InstanceId) -> bool {
        self.state.instance(id).is_some_and(|(_, instance)| instance.open.iter().any(|open| open.forager == no))
    }

    fn take(&mut self, class: CostClass, no: ForagerNo) -> Place {
        let (in_flight, freed) = (self.in_flight, &self.freed);
        self.more.entry(no).or_insert_with(|| more_than_open(in_flight, freed, no))[class.index()] += 1;
        Place::At(no)
    }
}

/// How many more attempts a forager will have when everything on its way has been applied, or fewer.
fn more_than_open(in_flight: &InFlight, freed: &BTreeMap<ForagerNo, [u32; CLASSES]>, no: ForagerNo) -> [i64; CLASSES] {
    let (taken, freed) = (in_flight.taken(no), freed.get(&no).copied().unwrap_or_default());
    std::array::from_fn(|class| i64::from(taken[class]) - i64::from(freed[class]))
}

/// Assignments, with neighbours joined.
#[derive(Default)]
pub(super) struct Runs {
    instances: usize,
    /// By forager and node the run that can grow: its place in `all`.
    open: BTreeMap<(ForagerNo, antfarm_model::GraphNo, NodeNo), usize>,
    /// The runs, with the number of their last instance.
    all: Vec<(usize, ForagerNo, Instances)>,
}

impl Runs {
    /// The number of instances.
    pub(super) fn len(&self) -> usize {
        self.instances
    }

    pub(super) fn push(&mut self, forager: ForagerNo, id: InstanceId) {
        self.instances += 1;
        let key = (forager, id.graph, id.node);
        if let Some((last, _, run)) = self.open.get(&key).and_then(|at| self.all.get_mut(*at))
            && run.start.checked_add(run.len) == Some(id.index)
        {
            run.len += 1;
            *last = self.instances;
            return;
        }
        self.open.insert(key, self.all.len());
        self.all.push((self.instances, forager, Instances::one(id)));
    }

    /// The commands; the one with the newest instance last, so that the turn goes on where it stopped.
    pub(super) fn into_commands(mut self, state: &State) -> Vec<Command> {
        self.all.sort_unstable_by_key(|(last, _, _)| *last);
        let incarnation = |forager| state.forager(forager).map_or(Incarnation(0), |forager| forager.incarnation);
        self.all
            .into_iter()
            .map(|(_, forager, instances)| Command::Assign { forager, incarnation: incarnation(forager), instances })
            .collect()
    }
}
