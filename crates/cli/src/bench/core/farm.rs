//! A state machine with a leader beside it, as large as is asked for.

use std::fmt::Write as _;
use std::time::Instant;

use antfarm_model::{CostClass, Limits, LogIndex, Manifest, Name, document};
use antfarm_scheduler::{
    AttemptOutcome, Attempts, Budget, Command, Contact, Drafts, Entry, GraphSource, InFlight, Liveness, Now, Policy,
    Position, Registration, Reply, State, decide,
};

use super::snapshot::millis_since;

/// Slots of each forager.
const SLOTS: u32 = 32;

/// Assignments that are measured in one run, at least.
const MEASURED: usize = 512;

/// Nodes in each graph that has ended.
const HISTORY_OF_ONE: u32 = 10_000;

/// How large everything around an assignment is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    /// In all graphs together, all of them ready.
    pub(super) nodes: u32,
    pub(super) foragers: u32,
    pub(super) graphs: u32,
    /// Each node has one of them, every forager all of them.
    pub(super) tools: u32,
    /// Nodes that have come to their end before, in graphs that are kept.
    pub(super) history: u32,
}

/// What one node cost, in nanoseconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cost {
    /// Decided and applied.
    pub(super) assignment_ns: f64,
    /// Its result applied.
    pub(super) end_ns: f64,
}

/// Builds a farm, assigns until all slots are taken, ends everything, and so on.
pub(super) fn measure(size: Size) -> Cost {
    let mut farm = Farm::new(size);
    farm.cycle(); // the allocator tidies up behind what was built, which is not what is measured
    let (mut assigned, mut assigning, mut ending) = (0, 0.0, 0.0);
    while assigned < MEASURED {
        let cycle = farm.cycle();
        assigned += cycle.instances;
        assigning += cycle.assigning;
        ending += cycle.ending;
    }
    let each = |seconds: f64| seconds * 1e9 / f64::from(u32::try_from(assigned).expect("a few at a time"));
    Cost { assignment_ns: each(assigning), end_ns: each(ending) }
}

fn instances(command: &Command) -> usize {
    if let Command::Assign { instances, .. } = command { instances.len as usize } else { 0 }
}

/// All free slots were taken, and everything in them came to its end. Times are in seconds.
pub(super) struct Cycle {
    pub(super) instances: usize,
    pub(super) assigning: f64,
    pub(super) ending: f64,
}

/// A state and the leader's view of it. Time stands still.
pub(super) struct Farm {
    pub(super) state: State,
    liveness: Liveness,
}

impl Farm {
    /// An empty one that knows the tool of all nodes.
    pub(super) fn empty() -> Self {
        let mut farm = Self { state: State::new(0), liveness: Liveness::default() };
        farm.apply(vec![Command::PutTool(Manifest::new(name("noop"), CostClass::Io))]);
        farm
    }

    fn new(size: Size) -> Self {
        let mut farm = Self::empty();
        let tools: Vec<String> = (0..size.tools).map(|tool| format!("tool-{tool}")).collect();
        farm.apply(tools.iter().map(|tool| Command::PutTool(Manifest::new(name(tool), CostClass::Io))).collect());
        for forager in 0..size.foragers {
            farm.register(forager, tools.iter().map(|tool| name(tool)).collect());
        }
        for graph in 0..size.history.div_ceil(HISTORY_OF_ONE) {
            farm.submit(&independent(&format!("ended-{graph}"), size.history.min(HISTORY_OF_ONE), &tools));
            while farm.state.ready_count(CostClass::Io) > 0 {
                farm.cycle();
            }
        }
        for graph in 0..size.graphs {
            farm.submit(&independent(&format!("graph-{graph}"), size.nodes.div_ceil(size.graphs), &tools));
        }
        farm
    }

    /// Takes all free slots, and brings everything in them to its end.
    pub(super) fn cycle(&mut self) -> Cycle {
        let began = Instant::now();
        let commands = self.decide();
        self.apply(commands.clone());
        let assigning = began.elapsed().as_secs_f64();
        let ends = self.ends_of(&commands);
        let began = Instant::now();
        self.apply(ends);
        let ending = began.elapsed().as_secs_f64();
        let instances = commands.iter().map(instances).sum();
        assert!(instances > 0, "there is always something to assign");
        Cycle { instances, assigning, ending }
    }

    /// Submits a graph in the form of [`document::parse_ndjson_graph`].
    pub(super) fn submit(&mut self, text: &str) {
        let limits = Limits { graph_bytes: 1 << 30, nodes: u32::MAX, ..Limits::default() };
        let graph = document::parse_ndjson_graph(text.as_bytes(), &limits).expect("the graph is sound");
        self.apply(vec![Command::Submit(GraphSource::Inline(GraphSource::encode(&graph).into()))]);
    }

    /// Registers a forager with these tools.
    pub(super) fn register(&mut self, number: u32, tools: Vec<Name>) {
        let registration = Registration {
            name: name(&format!("forager-{number}")),
            process: None,
            former: None,
            known: Vec::new(),
            rebooted: false,
            slots: SLOTS,
            class_slots: [None; 3],
            prefetch: 0,
            tools,
            poison_limit: 3,
        };
        let replies = self.apply(vec![Command::Register(registration)]);
        let [Reply::Registered { forager, incarnation }] = replies[..] else { unreachable!("the name is free") };
        let contact = Contact { incarnation, heard_at: self.now().elapsed, broken_at: None, draining: false };
        self.liveness.contacts.insert(forager, contact);
    }

    /// Applies commands in one entry, none of which is refused.
    pub(super) fn apply(&mut self, commands: Vec<Command>) -> Vec<Reply> {
        let position = Position { index: LogIndex(self.state.applied().index.0 + 1), term: 1 };
        let Now { wall, elapsed } = self.now();
        let outcome = self.state.apply(position, &Entry { epoch: self.state.epoch(1), wall, elapsed, commands });
        outcome.answers.into_iter().collect::<Result<_, _>>().expect("nothing of this is refused")
    }

    /// Applies a submission whose graph was read before, and tells how many milliseconds that took.
    pub(super) fn apply_draft(&mut self, command: Command, drafts: &mut Drafts) -> f64 {
        let position = Position { index: LogIndex(self.state.applied().index.0 + 1), term: 1 };
        let Now { wall, elapsed } = self.now();
        let entry = Entry { epoch: self.state.epoch(1), wall, elapsed, commands: vec![command] };
        let began = Instant::now();
        let outcome = self.state.apply_drafted(position, &entry, drafts);
        let took = millis_since(began);
        assert!(outcome.answers.iter().all(Result::is_ok), "nothing of this is refused");
        took
    }

    fn decide(&self) -> Vec<Command> {
        let budget = Budget { sweep: false, ..Budget::default() };
        decide(&self.state, &InFlight::default(), self.now(), &self.liveness, &Policy::default(), budget)
    }

    /// The ends of everything that was assigned, each with a result of its own.
    fn ends_of(&self, assignments: &[Command]) -> Vec<Command> {
        let fence = self.state.fence(self.state.applied().index);
        let mut ends = Vec::new();
        for command in assignments {
            let Command::Assign { forager, instances, .. } = command else { continue };
            ends.extend(Attempts { instances: *instances, fence }.iter().map(|attempt| Command::End {
                forager: *forager,
                attempts: attempt.into(),
                outcome: AttemptOutcome::Succeeded { result: "null".into() },
            }));
        }
        ends
    }

    fn now(&self) -> Now {
        Now { wall: self.state.wall(), elapsed: self.state.elapsed() }
    }
}

/// A graph of nodes that need nothing, each with one of the tools.
pub(super) fn independent(id: &str, nodes: u32, tools: &[String]) -> String {
    let mut text = format!("{{\"id\":\"{id}\"}}\n");
    for (node, tool) in (0..nodes).zip(tools.iter().cycle()) {
        writeln!(text, "{{\"id\":\"node-{node}\",\"tool\":\"{tool}\",\"args\":[]}}").expect("a String takes all");
    }
    text
}

pub(super) fn name(text: &str) -> Name {
    Name::new(text).expect("it has the form of a name")
}
