//! A state machine with a leader beside it, both under the test's control.

use std::fmt::Write as _;

use antfarm_model::{
    CostClass, EffectClass, Elapsed, ForagerNo, Incarnation, Limits, LogIndex, Manifest, Name, Span, WallTime, document,
};
use antfarm_scheduler::{
    AttemptId, AttemptOutcome, Attempts, Budget, Command, Contact, Decision, Entry, FailureKind, GraphSource, InFlight,
    Instance, InstanceId, Liveness, Now, Policy, Position, Refusal, Registration, RejectReason, Reply, State, Verdict,
    decide, explain,
};

pub(crate) fn name(text: &str) -> Name {
    Name::new(text).expect("tests use good names")
}

pub(crate) fn manifest(tool: &str, class: CostClass, effects: EffectClass) -> Manifest {
    Manifest { effects, ..Manifest::new(name(tool), class) }
}

/// A state, the log index and the clocks.
pub(crate) struct Farm {
    pub(crate) state: State,
    pub(crate) now: Now,
    pub(crate) liveness: Liveness,
    pub(crate) policy: Policy,
    term: u64,
}

impl Farm {
    pub(crate) fn new() -> Self {
        let now = Now { wall: WallTime(1_000_000), elapsed: Elapsed(0) };
        Self { state: State::new(0), now, liveness: Liveness::default(), policy: Policy::default(), term: 1 }
    }

    /// Applies commands in one entry.
    pub(crate) fn apply(&mut self, commands: Vec<Command>) -> Vec<Result<Reply, Refusal>> {
        let position = Position { index: LogIndex(self.state.applied().index.0 + 1), term: self.term };
        let epoch = self.state.epoch(self.term);
        let entry = Entry { epoch, wall: self.now.wall, elapsed: self.now.elapsed, commands };
        let entry = Entry::decode(&entry.encode()).expect("what was encoded decodes");
        let outcome = self.state.apply(position, &entry);
        self.state.check();
        outcome.answers
    }

    /// Applies one command.
    pub(crate) fn one(&mut self, command: Command) -> Result<Reply, Refusal> {
        self.apply(vec![command]).remove(0)
    }

    /// Lets time pass, and what has become due happen.
    pub(crate) fn pass(&mut self, span: Span) {
        self.now = Now { wall: self.now.wall.plus(span), elapsed: self.now.elapsed.plus(span) };
        self.apply(Vec::new());
    }

    /// A new leader, in a higher term, that has heard nobody yet.
    pub(crate) fn elect(&mut self) {
        self.term += 1;
        self.liveness = Liveness { since: self.now.elapsed, ..Liveness::default() };
    }

    /// Lets time pass and decides.
    pub(crate) fn pass_and_work(&mut self, span: Span) -> Vec<String> {
        self.pass(span);
        self.work()
    }

    pub(crate) fn tool(&mut self, tool: &str, class: CostClass, effects: EffectClass) {
        self.one(Command::PutTool(manifest(tool, class, effects))).expect("a manifest is never refused");
    }

    pub(crate) fn registration(forager: &str, slots: u32, tools: &[&str]) -> Registration {
        Registration {
            name: name(forager),
            process: None,
            former: None,
            known: Vec::new(),
            rebooted: false,
            slots,
            class_slots: [None; 3],
            prefetch: 0,
            tools: tools.iter().map(|tool| name(tool)).collect(),
            poison_limit: 3,
        }
    }

    /// Registers a forager and hears it.
    pub(crate) fn forager(&mut self, forager: &str, slots: u32, tools: &[&str]) -> ForagerNo {
        self.register(Self::registration(forager, slots, tools)).expect("the name is free")
    }

    /// A forager registers again, with its journal.
    pub(crate) fn forager_again(&mut self, forager: &str, slots: u32, tools: &[&str]) {
        let former = self.state.forager_named(forager).map(|record| record.incarnation);
        self.register(Registration { former, ..Self::registration(forager, slots, tools) }).expect("it has the proof");
    }

    pub(crate) fn register(&mut self, registration: Registration) -> Result<ForagerNo, Refusal> {
        match self.one(Command::Register(registration))? {
            Reply::Registered { forager, .. } => {
                self.hear(forager);
                Ok(forager)
            }
            other @ (Reply::Done | Reply::Submitted { .. } | Reply::Decided { .. }) => {
                panic!("registered, and was answered {other:?}")
            }
        }
    }

    /// The leader hears a forager now.
    pub(crate) fn hear(&mut self, forager: ForagerNo) {
        let contact = Contact {
            incarnation: self.incarnation(forager),
            heard_at: self.now.elapsed,
            broken_at: None,
            draining: false,
        };
        self.liveness.contacts.insert(forager, contact);
    }

    pub(crate) fn hear_all(&mut self) {
        let all: Vec<ForagerNo> = self.state.foragers().map(|forager| forager.no).collect();
        for forager in all {
            self.hear(forager);
        }
    }

    pub(crate) fn incarnation(&self, forager: ForagerNo) -> Incarnation {
        self.state.forager(forager).expect("it has registered").incarnation
    }

    pub(crate) fn submit(&mut self, text: &str) -> Result<Reply, Refusal> {
        let graph = document::graph(text.as_bytes(), &Limits::default()).expect("tests submit good graphs");
        self.one(Command::Submit(GraphSource::Inline(GraphSource::encode(&graph).into())))
    }

    /// What the leader decides now, without applying it.
    pub(crate) fn decisions(&self, in_flight: &InFlight) -> Vec<Command> {
        decide(&self.state, in_flight, self.now, &self.liveness, &self.policy, Budget::default())
    }

    /// Decides and applies until nothing is left to decide; every assignment as text, in order.
    pub(crate) fn work(&mut self) -> Vec<String> {
        let mut all = Vec::new();
        loop {
            let commands = self.decisions(&InFlight::default());
            if commands.is_empty() {
                return all;
            }
            all.extend(commands.iter().filter_map(|command| self.describe(command)));
            let answers = self.apply(commands);
            assert!(answers.iter().all(Result::is_ok), "a decision on the newest state is refused: {answers:?}");
        }
    }

    fn describe(&self, command: &Command) -> Option<String> {
        let Command::Assign { forager, instances, .. } = command else {
            return Some(format!("{command:?}").split([' ', '(', '{']).next().unwrap_or_default().to_lowercase());
        };
        let graph = self.state.graph(instances.graph)?.shape();
        let node = &graph.node(instances.node)?.id;
        let mut text = format!("{}/{node}", graph.graph().id);
        if instances.len > 1 || instances.start > 0 {
            write!(text, "[{}..{}]", instances.start, instances.start + instances.len).expect("a String takes all");
        }
        write!(text, " to {}", self.state.forager(*forager)?.name).expect("a String takes all");
        Some(text)
    }

    /// The open attempts of a forager, in order of graph, node, index.
    pub(crate) fn open(&self, forager: ForagerNo) -> Vec<AttemptId> {
        let mut open: Vec<AttemptId> =
            self.state.forager(forager).expect("it has registered").attempts().map(|(id, _)| *id).collect();
        open.sort_unstable();
        open
    }

    pub(crate) fn start(&mut self, forager: ForagerNo, attempt: AttemptId) {
        self.one(Command::Started { forager, attempts: attempt.into() }).expect("the attempt is open");
    }

    pub(crate) fn end(
        &mut self,
        forager: ForagerNo,
        attempt: AttemptId,
        outcome: AttemptOutcome,
    ) -> Result<Reply, Refusal> {
        self.one(Command::End { forager, attempts: Attempts::from(attempt), outcome })
    }

    pub(crate) fn reject(&mut self, forager: ForagerNo, attempt: AttemptId, reason: RejectReason) {
        self.one(Command::Reject { forager, attempts: attempt.into(), reason }).expect("the attempt is open");
    }

    /// A decision of Ada's about an attempt.
    pub(crate) fn decide(&mut self, attempt: AttemptId, verdict: Verdict) -> Result<Reply, Refusal> {
        self.decide_as(attempt, verdict, "ada", "looked at the ledger")
    }

    pub(crate) fn decide_as(
        &mut self,
        attempt: AttemptId,
        verdict: Verdict,
        by: &str,
        why: &str,
    ) -> Result<Reply, Refusal> {
        let AttemptId { instance, fence } = attempt;
        self.one(Command::Decide(Decision { instance, fence, verdict, by: by.into(), why: why.into() }))
    }

    pub(crate) fn instance(&self, id: InstanceId) -> &Instance {
        self.state.instance(id).expect("there is such an instance").1
    }

    /// The first instance of a node.
    pub(crate) fn id(&self, graph: &str, node: &str) -> InstanceId {
        let graph = self.state.graph_named(graph).expect("it was submitted");
        InstanceId { graph: graph.no, node: graph.shape().node_named(node).expect("it has the node"), index: 0 }
    }

    /// Why the first instance of a node is where it is, and what would change it.
    pub(crate) fn explain(&self, graph: &str, node: &str) -> String {
        let id = self.id(graph, node);
        let explained = explain(&self.state, &self.liveness, &self.policy, self.now, id).expect("it is there");
        let change = explained.change().map_or_else(String::new, |change| format!("\n  → {change}"));
        format!("{}: {explained}{change}\n", explained.reason.code())
    }

    pub(crate) fn succeed(&mut self, forager: ForagerNo, attempt: AttemptId, result: &str) -> Result<Reply, Refusal> {
        self.end(forager, attempt, AttemptOutcome::Succeeded { result: result.into() })
    }

    pub(crate) fn fail(&mut self, forager: ForagerNo, attempt: AttemptId) -> Result<Reply, Refusal> {
        self.end(forager, attempt, AttemptOutcome::Failed { kind: FailureKind::Exit, message: "exit code 1".into() })
    }

    /// Runs everything to its end with this result; foragers answer at once.
    pub(crate) fn run_all(&mut self, result: &str) {
        loop {
            self.hear_all();
            self.work();
            let open: Vec<(ForagerNo, AttemptId)> =
                self.state.foragers().flat_map(|forager| forager.attempts().map(|(id, _)| (forager.no, *id))).collect();
            if open.is_empty() {
                return;
            }
            for (forager, attempt) in open {
                self.succeed(forager, attempt, result).expect("the attempt is open");
            }
        }
    }
}

pub(crate) fn interrupted() -> AttemptOutcome {
    AttemptOutcome::Interrupted
}

pub(crate) fn cancelled() -> AttemptOutcome {
    AttemptOutcome::Cancelled { started: true }
}
