//! Thousands of random histories: every invariant after every apply, replicas equal, snapshots as good as the log.

use antfarm_model::{CostClass, EffectClass, ForagerNo, GraphNo, Incarnation, LogIndex, NodeNo, Span};
use antfarm_scheduler::{
    AttemptId, AttemptOutcome, Attempts, Command, Decision, Entry, FailureKind, GraphSource, InFlight, InstanceId,
    Instances, LoadError, Position, RejectReason, State, Verdict, explain,
};
use proptest::prelude::*;

use crate::farm::Farm;

const TOOLS: [(&str, CostClass, EffectClass); 4] = [
    ("pure", CostClass::Cpu, EffectClass::Pure),
    ("same", CostClass::Io, EffectClass::Idempotent),
    ("write", CostClass::Io, EffectClass::Guarded),
    ("pay", CostClass::Model, EffectClass::Irrevocable),
];

/// Something that happens. The numbers choose among what is there.
#[derive(Debug, Clone)]
enum Happening {
    Submit(u8, u8),
    Register(u8, bool, bool),
    Work,
    Start(u8),
    End(u8, u8),
    HandBack(u8, u8),
    /// A whole range is started, ended or handed back, more of it than is open.
    Range(u8, u8),
    /// A forager fails everything that it gets, at once.
    Swallow(u8),
    /// So long a time that lost foragers are forgotten.
    Forget,
    Duplicate(u8),
    Judge(u8, u8),
    Graph(u8, u8),
    Drain(u8, bool),
    Decide(u8, u8),
    Pass(u16),
    Elect,
    Restart,
}

fn happening() -> impl Strategy<Value = Happening> {
    use Happening as H;
    prop_oneof![
        2 => any::<(u8, u8)>().prop_map(|(id, shape)| H::Submit(id, shape)),
        1 => any::<(u8, bool, bool)>().prop_map(|(who, proof, rebooted)| H::Register(who, proof, rebooted)),
        6 => Just(H::Work),
        3 => any::<u8>().prop_map(H::Start),
        6 => any::<(u8, u8)>().prop_map(|(which, how)| H::End(which, how)),
        1 => any::<(u8, u8)>().prop_map(|(which, how)| H::HandBack(which, how)),
        1 => any::<(u8, u8)>().prop_map(|(which, how)| H::Range(which, how)),
        1 => any::<u8>().prop_map(H::Swallow),
        1 => prop::bool::weighted(0.1).prop_map(|long| if long { H::Forget } else { H::Pass(1) }),
        1 => any::<u8>().prop_map(H::Duplicate),
        2 => any::<(u8, u8)>().prop_map(|(who, how)| H::Judge(who, how)),
        1 => any::<(u8, u8)>().prop_map(|(which, how)| H::Graph(which, how)),
        1 => any::<(u8, bool)>().prop_map(|(who, on)| H::Drain(who, on)),
        1 => any::<(u8, u8)>().prop_map(|(which, how)| H::Decide(which, how)),
        2 => (0_u16..20_000).prop_map(H::Pass),
        1 => Just(H::Elect),
        1 => Just(H::Restart),
    ]
}

/// The farm, a second replica that follows the log, and what was said before.
struct History {
    farm: Farm,
    replica: State,
    said: Vec<Command>,
    term: u64,
}

impl History {
    fn new() -> Self {
        let mut history = Self { farm: Farm::new(), replica: State::new(0), said: Vec::new(), term: 1 };
        history.farm.now.wall = antfarm_model::WallTime(1_893_455_990_000);
        for (tool, class, effects) in TOOLS {
            history.apply(vec![Command::PutTool(crate::farm::manifest(tool, class, effects))]);
        }
        history
    }

    fn apply(&mut self, commands: Vec<Command>) {
        let position = Position { index: LogIndex(self.farm.state.applied().index.0 + 1), term: self.term };
        let Farm { now, .. } = self.farm;
        let entry = Entry { epoch: self.farm.state.epoch(self.term), wall: now.wall, elapsed: now.elapsed, commands };
        let ours = self.farm.state.apply(position, &entry);
        let theirs = self.replica.apply(position, &entry);
        assert_eq!(ours, theirs, "replicas answer alike");
        self.farm.state.check();
        self.said.extend(entry.commands);
    }

    fn open(&self, which: u8) -> Option<(ForagerNo, AttemptId)> {
        let all: Vec<_> = self.farm.state.foragers().flat_map(|f| f.attempts().map(|(id, _)| (f.no, *id))).collect();
        all.get(usize::from(which) % all.len().max(1)).copied()
    }

    fn forager(&self, who: u8) -> Option<(ForagerNo, Incarnation)> {
        let all: Vec<_> = self.farm.state.foragers().map(|f| (f.no, f.incarnation)).collect();
        all.get(usize::from(who) % all.len().max(1)).copied()
    }

    fn happen(&mut self, happening: &Happening) {
        match happening {
            Happening::Submit(id, shape) => self.submit(*id, *shape),
            Happening::Register(who, proof, rebooted) => self.register(*who, *proof, *rebooted),
            Happening::Work => {
                self.farm.hear_all();
                let commands = self.farm.decisions(&InFlight::default());
                self.apply(commands);
            }
            Happening::Start(which) => {
                if let Some((forager, id)) = self.open(*which) {
                    self.apply(vec![Command::Started { forager, attempts: id.into() }]);
                }
            }
            Happening::End(which, how) => {
                if let Some((forager, id)) = self.open(*which) {
                    self.apply(vec![Command::End { forager, attempts: id.into(), outcome: outcome(*how) }]);
                }
            }
            Happening::HandBack(which, how) => {
                let Some((forager, id)) = self.open(*which) else { return };
                let attempts = id.into();
                let reasons = [
                    RejectReason::NoSlot,
                    RejectReason::UnknownTool,
                    RejectReason::Draining,
                    RejectReason::DeadlinePassed,
                    RejectReason::StaleEpoch,
                ];
                self.apply(vec![match reasons.get(usize::from(how % 6)) {
                    Some(reason) => Command::Reject { forager, attempts, reason: *reason },
                    None => Command::Return { forager, attempts },
                }]);
            }
            Happening::Range(which, how) => self.range(*which, *how),
            Happening::Swallow(who) => self.swallow(*who),
            Happening::Forget => {
                self.farm.now.elapsed = self.farm.now.elapsed.plus(Span::from_secs(7 * 24 * 3_600));
                self.apply(Vec::new());
            }
            Happening::Duplicate(which) => {
                if let Some(command) = self.said.get(usize::from(*which) % self.said.len().max(1)).cloned() {
                    self.apply(vec![command]);
                }
            }
            Happening::Judge(who, how) => {
                let Some((forager, incarnation)) = self.forager(*who) else { return };
                self.apply(vec![match how % 3 {
                    0 => Command::Suspect { forager, incarnation },
                    1 => Command::Trust { forager, incarnation },
                    _ => Command::Lose { forager, incarnation },
                }]);
            }
            Happening::Graph(which, how) => self.graph(*which, *how),
            Happening::Drain(who, on) => {
                let Some((forager, _)) = self.forager(*who) else { return };
                self.apply(vec![if *on { Command::Drain { forager } } else { Command::Undrain { forager } }]);
            }
            Happening::Decide(which, how) => self.decide(*which, *how),
            Happening::Pass(span) => {
                let span = Span(u64::from(*span));
                self.farm.now.wall = self.farm.now.wall.plus(span);
                self.farm.now.elapsed = self.farm.now.elapsed.plus(span);
                self.apply(Vec::new());
            }
            Happening::Elect => {
                self.term += 1;
                self.farm.elect();
                let position = Position { index: LogIndex(self.farm.state.applied().index.0 + 1), term: self.term };
                self.farm.state.skip(position);
                self.replica.skip(position);
            }
            Happening::Restart => self.restart(),
        }
    }

    /// All faults end, every forager is there and does its work, and somebody decides what is undecided: every graph ends.
    fn heal(&mut self) {
        for who in 0..4 {
            self.register(12 + who, true, false); // with all tools
            let all: Vec<ForagerNo> = self.farm.state.foragers().map(|forager| forager.no).collect();
            self.apply(all.into_iter().map(|forager| Command::Undrain { forager }).collect());
        }
        for _ in 0..200 {
            self.happen(&Happening::Pass(15_000));
            self.resume_and_decide();
            self.happen(&Happening::Work);
            let open: Vec<_> =
                self.farm.state.foragers().flat_map(|f| f.attempts().map(|(id, _)| (f.no, *id))).collect();
            let succeeded = || AttemptOutcome::Succeeded { result: r#"{"x":1}"#.into() };
            let end = |(forager, id): (ForagerNo, AttemptId)| Command::End {
                forager,
                attempts: id.into(),
                outcome: succeeded(),
            };
            self.apply(open.into_iter().map(end).collect());
        }
        let stuck = self.farm.state.graphs_from(GraphNo(0)).find(|graph| graph.finished_at.is_none());
        assert!(stuck.is_none(), "a graph never ends:\n{}", self.farm.state.render());
        assert_eq!(self.farm.state.open_count(), 0, "an attempt never ends:\n{}", self.farm.state.render());
    }

    fn resume_and_decide(&mut self) {
        let graphs: Vec<GraphNo> = self.farm.state.graphs_from(GraphNo(0)).map(|graph| graph.no).collect();
        let mut commands: Vec<_> = graphs.iter().map(|graph| Command::ResumeGraph { graph: *graph }).collect();
        for graph in graphs {
            for node in 0..4 {
                for index in 0..4 {
                    let instance = InstanceId { graph, node: NodeNo(node), index };
                    let Some((_, record)) = self.farm.state.instance(instance) else { continue };
                    let Some(fence) = record.closed.last().map(|closed| closed.fence) else { continue };
                    let verdict = Verdict::Succeed { result: "2".into() };
                    commands.push(Command::Decide(Decision {
                        instance,
                        fence,
                        verdict,
                        by: "ada".into(),
                        why: "".into(),
                    }));
                }
            }
        }
        self.apply(commands);
    }

    fn range(&mut self, which: u8, how: u8) {
        let Some((forager, id)) = self.open(which) else { return };
        let start = id.instance.index.saturating_sub(u32::from(how % 2));
        let instances = Instances { start, len: 1 + u32::from(how / 2 % 4), ..Instances::one(id.instance) };
        let attempts = Attempts { instances, fence: id.fence };
        self.apply(vec![match how / 8 % 4 {
            0 => Command::Started { forager, attempts },
            1 => Command::Return { forager, attempts },
            2 => Command::Reject { forager, attempts, reason: RejectReason::NoSlot },
            _ => Command::End { forager, attempts, outcome: outcome(how / 32) },
        }]);
    }

    fn swallow(&mut self, who: u8) {
        let Some((forager, _)) = self.forager(who) else { return };
        for _ in 0..8 {
            self.happen(&Happening::Work);
            let Some(record) = self.farm.state.forager(forager) else { return };
            let open: Vec<AttemptId> = record.attempts().map(|(id, _)| *id).collect();
            let failed = |_| AttemptOutcome::Failed { kind: FailureKind::NotStarted, message: "no".into() };
            let ends = open.into_iter().map(|id| Command::End { forager, attempts: id.into(), outcome: failed(id) });
            let ends = ends.collect();
            self.apply(ends);
            self.happen(&Happening::Pass(1_000));
        }
    }

    fn submit(&mut self, id: u8, shape: u8) {
        let tool = |n: u8| TOOLS[usize::from(n) % TOOLS.len()].0;
        let (policy, on_deadline) =
            [("fail_graph", "continue"), ("continue", "skip_successors"), ("continue", "fail_graph")]
                [usize::from(shape % 3)];
        let deadline = if shape.is_multiple_of(5) { ", deadline: 2030-01-01T00:00:00Z" } else { "" };
        let text = format!(
            "{{id: g{}, on_failure: {policy}, on_deadline: {on_deadline}, defaults: {{retries: {}}}, nodes: {{a: {{tool: {}{deadline}}}, b: {{tool: {}, array: {{count: {}}}, after: [a]}}, c: {{tool: {}, args: {{$ref: 'b[0]'}}}}, d: {{tool: {}, args: [{{$ref: b}}, {{$ref: 'a#/x'}}]}}}}}}",
            id % 8,
            shape % 3,
            tool(shape),
            tool(shape / 2),
            1 + shape % 4,
            tool(shape / 3),
            tool(shape / 5)
        );
        let graph =
            antfarm_model::document::graph(text.as_bytes(), &antfarm_model::Limits::default()).expect("a good graph");
        self.apply(vec![Command::Submit(GraphSource::Inline(GraphSource::encode(&graph).into()))]);
    }

    fn register(&mut self, who: u8, proof: bool, rebooted: bool) {
        let forager = format!("f{}", who % 4);
        let tools: Vec<&str> = TOOLS.iter().map(|(tool, ..)| *tool).take(1 + usize::from(who / 4 % 4)).collect();
        let mut registration = Farm::registration(&forager, u32::from(who % 3) + 1, &tools);
        registration.rebooted = rebooted;
        registration.process = [None, Some(1), Some(2)][usize::from(who / 86)];
        if let Some(record) = self.farm.state.forager_named(&forager) {
            registration.former = proof.then_some(record.incarnation);
            registration.known = record.attempts().map(|(id, _)| *id).step_by(2).collect();
        }
        self.apply(vec![Command::Register(registration)]);
    }

    fn graph(&mut self, which: u8, how: u8) {
        let graph = GraphNo(1 + u64::from(which % 12));
        self.apply(vec![match how % 5 {
            0 => Command::CancelGraph { graph },
            1 | 2 => Command::PauseGraph { graph },
            3 => Command::ResumeGraph { graph },
            _ => Command::RemoveGraph { graph, dedupe_window: Span(5_000) },
        }]);
    }

    fn decide(&mut self, which: u8, how: u8) {
        let instance =
            InstanceId { graph: GraphNo(1 + u64::from(which % 12)), node: NodeNo(u32::from(which / 12 % 4)), index: 0 };
        let Some((_, record)) = self.farm.state.instance(instance) else { return };
        let Some(fence) = record.closed.last().map(|closed| closed.fence) else { return };
        let verdict = match how % 3 {
            0 => Verdict::Retry { assume_ended: how.is_multiple_of(2) },
            1 => Verdict::Succeed { result: r#"{"x":1}"#.into() },
            _ => Verdict::Fail,
        };
        let by = if how.is_multiple_of(5) { "bob" } else { "ada" };
        self.apply(vec![Command::Decide(Decision { instance, fence, verdict, by: by.into(), why: "a test".into() })]);
        self.explain_all();
    }

    /// Whatever has happened, everything can be explained.
    fn explain_all(&self) {
        let Farm { state, liveness, policy, now, .. } = &self.farm;
        for graph in state.graphs_from(GraphNo(0)) {
            for (node, spec) in graph.shape().nodes() {
                for index in 0..spec.instances() {
                    let id = InstanceId { graph: graph.no, node, index };
                    let explained = explain(state, liveness, policy, *now, id).expect("it is there");
                    assert!(!explained.to_string().is_empty() && explained.change() != Some(String::new()));
                }
            }
        }
    }

    /// The second replica restarts from a snapshot of the first.
    fn restart(&mut self) {
        let snapshot = self.farm.state.snapshot();
        let records = snapshot.records().map(Ok::<_, LoadError>);
        self.replica = State::load(records).expect("a snapshot loads");
        self.replica.check();
        assert_eq!(self.replica.snapshot().digest(), snapshot.digest());
    }
}

fn outcome(how: u8) -> AttemptOutcome {
    let failed = |kind| AttemptOutcome::Failed { kind, message: "no".into() };
    match how % 8 {
        0 => AttemptOutcome::Succeeded { result: "null".into() }, // nothing at /x
        1..=3 => AttemptOutcome::Succeeded { result: r#"{"x":1}"#.into() },
        4 => failed(FailureKind::Exit),
        5 => failed(FailureKind::Temporary),
        6 => AttemptOutcome::Cancelled { started: how > 128 },
        _ => AttemptOutcome::Interrupted,
    }
}

/// How many histories: `PROPTEST_CASES`, or enough to run before every change.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(400)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    #[test]
    fn no_history_breaks_an_invariant_or_parts_two_replicas(happenings in prop::collection::vec(happening(), 1..120)) {
        let mut history = History::new();
        for happening in &happenings {
            history.happen(happening);
        }
        prop_assert_eq!(history.farm.state.snapshot().digest(), history.replica.snapshot().digest());
        history.heal();
        prop_assert_eq!(history.farm.state.snapshot().digest(), history.replica.snapshot().digest());
    }
}
