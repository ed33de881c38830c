//! A small history in which everything holds, for tests that break one thing in it.

mod inside;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::check_evidence;
use crate::history::{
    Call, Event, Evidence, FaultKind, ForagerSeen, Goal, GraphShown, GraphSpec, Line, Mark, NodeSpec, Plan,
    QueenStatus, Record, Tool, What,
};
pub(super) use inside::{BALLOT, attempt, claim, disk, position, progress};

/// A fence beyond everything that readers of events have covered.
pub(super) const UNSEEN: u64 = 130;

/// The last index of the log, which everybody reads to.
const LAST_INDEX: u64 = 30;

/// The deadline of `g1`'s last node.
pub(super) const DEADLINE_MS: u64 = 10_000;

/// The moment that it waits for.
pub(super) const NOT_BEFORE_MS: u64 = 1_100;

/// A history that is being made.
pub(super) struct Sample {
    records: Vec<(String, What)>,
    pub(super) ledger: Vec<Line>,
    /// What each reader of events saw.
    pub(super) readers: [BTreeMap<u64, Vec<Event>>; 2],
    /// What comes after everything else, and how long after, in milliseconds.
    late: Vec<(u64, String, What)>,
    clock_ms: u64,
    /// How far readers have come.
    read_upto: u64,
    ops: u64,
}

/// The sample, with something changed.
pub(super) fn with(change: impl FnOnce(&mut Sample)) -> Evidence {
    let mut sample = Sample::sound();
    change(&mut sample);
    sample.evidence()
}

/// Asserts that exactly one checker finds something, and which.
pub(super) fn finds(property: &str, evidence: &Evidence) {
    let violations: Vec<String> = check_evidence(evidence).iter().map(ToString::to_string).collect();
    assert!(violations.len() == 1 && violations[0].starts_with(property), "for {property}: {violations:?}");
}

/// Asserts that these two checkers find something, and no other: what an answer says against a property of its own can
/// stand in no order of all answers either.
pub(super) fn finds_both(one: &str, other: &str, evidence: &Evidence) {
    let violations: Vec<String> = check_evidence(evidence).iter().map(ToString::to_string).collect();
    let expected = violations.len() == 2 && violations[0].starts_with(one) && violations[1].starts_with(other);
    assert!(expected, "for {one} and {other}: {violations:?}");
}

/// A change of a node, as an event.
pub(super) fn change(graph: &str, node: &str, state: &str, fence: Option<u64>) -> Event {
    Event {
        r#type: "node".into(),
        graph: Some(graph.into()),
        node: Some(node.into()),
        state: Some(state.into()),
        fence,
        ..Event::default()
    }
}

fn of_graph(graph: &str, state: &str, finished: bool) -> Event {
    let (graph, state) = (Some(graph.into()), Some(state.into()));
    Event { r#type: "graph".into(), graph, state, finished: Some(finished), ..Event::default() }
}

fn of_forager(forager: &str, state: &str) -> Event {
    let (forager, state) = (Some(forager.into()), Some(state.into()));
    Event { r#type: "forager".into(), forager, state, ..Event::default() }
}

/// A forager is lost, as an event.
pub(super) fn lost(forager: &str) -> Event {
    of_forager(forager, "lost")
}

/// A forager has registered, as an event.
pub(super) fn registered(forager: &str) -> Event {
    of_forager(forager, "ready")
}

/// How a graph is shown in that state.
pub(super) fn shown(id: &str, state: &str) -> GraphShown {
    let number = id.bytes().map(u64::from).sum();
    GraphShown {
        id: id.into(),
        number,
        digest: format!("digest of {id}"),
        state: state.into(),
        finished: state != "running",
    }
}

/// A forager with 8 slots and so many open attempts.
pub(super) fn forager(open: u32, open_model: u32) -> ForagerSeen {
    ForagerSeen { name: "forager-1".into(), state: "ready".into(), slots: 8, open, open_model }
}

/// The graphs of the sample: `g1` runs, `g2` is cancelled, `g3` says something.
pub(super) fn graph(id: &str) -> GraphSpec {
    let say = || NodeSpec::new("say", Tool::Echo { word: "a word".into() }, &[]);
    let write = || NodeSpec::new("write", Tool::Append { ms: 1, guard: false }, &[]);
    let after = NodeSpec {
        deadline_ms: Some(DEADLINE_MS),
        not_before_ms: Some(NOT_BEFORE_MS),
        ..NodeSpec::new("after", Tool::Work, &["write", "say"])
    };
    let nodes = match id {
        "g1" => vec![write(), say(), NodeSpec::new("pay", Tool::Pay, &[]), after],
        "g2" => vec![write()],
        _ => vec![say()],
    };
    GraphSpec::new(id.into(), nodes)
}

fn log() -> BTreeMap<u64, Vec<Event>> {
    let g1 = |node, state, fence| change("g1", node, state, Some(fence));
    BTreeMap::from([
        (2, vec![registered("forager-1")]),
        (5, vec![of_graph("g1", "running", false)]),
        (10, vec![g1("write", "assigned", 10)]),
        (11, vec![g1("say", "assigned", 11)]),
        (12, vec![g1("pay", "assigned", 12)]),
        (13, vec![g1("write", "succeeded", 10), g1("say", "succeeded", 11)]),
        (14, vec![g1("after", "assigned", 14)]),
        (15, vec![g1("pay", "succeeded", 12)]),
        (16, vec![g1("after", "succeeded", 14), of_graph("g1", "succeeded", true)]),
        (17, vec![of_graph("g2", "running", false)]),
        (18, vec![of_graph("g2", "cancelled", true)]),
        (19, vec![of_graph("g3", "running", false)]),
        (20, vec![change("g3", "say", "assigned", Some(20))]),
        (21, vec![change("g3", "say", "succeeded", Some(20)), of_graph("g3", "succeeded", true)]),
        (22, vec![Event { r#type: "tool".into(), tool: Some("work".into()), ..Event::default() }]),
    ])
}

impl Sample {
    fn sound() -> Self {
        let (readers, records, late) = ([log(), log()], Vec::new(), Vec::new());
        let mut sample =
            Self { records, ledger: Vec::new(), readers, late, clock_ms: 0, read_upto: LAST_INDEX, ops: 0 };
        for (node, fence) in [("write", 10), ("pay", 12), ("after", 14)] {
            sample.run("g1", node, fence);
        }
        sample.begin();
        sample.records.extend(inside::sound().map(|what| ("inside".to_owned(), what)));
        for (id, index, state) in [("g1", 6, "succeeded"), ("g2", 17, "cancelled"), ("g3", 19, "succeeded")] {
            let (call, graph) = (Call::Submit { graph: graph(id) }, shown(id, "running"));
            sample.answered(call, (201, index), graph);
            if id == "g2" {
                sample.answered(Call::Cancel { graph: id.into() }, (200, 18), shown(id, state));
            }
            let results = if id == "g2" { json!({}) } else { json!({"say": "a word"}) };
            let mut results: BTreeMap<String, Value> = serde_json::from_value(results).expect("a map");
            if id == "g1" {
                results.extend(
                    [("write", json!(null)), ("pay", json!({"fence": 12})), ("after", json!({"fence": 14}))]
                        .map(|(id, result)| (id.into(), result)),
                );
            }
            sample.records.push(("closing".into(), What::Final { graph: shown(id, state), results }));
        }
        let call = Call::Read { graph: "g1".into(), stale: true };
        let graph = shown("g1", "succeeded");
        sample.answered(call, (200, 30), graph);
        sample
    }

    /// What processes and their logs say.
    fn begin(&mut self) {
        let plan = Plan {
            scenario: "sample".into(),
            seed: 1,
            hosts: false,
            queens: 3,
            foragers: 1,
            slots: 8,
            model_slots: 2,
            faults: vec![FaultKind::Kill],
        };
        let status = |queen, leads| What::Status(QueenStatus { queen, life: 1, epoch: 2, leads });
        let position = |queen| What::Position { queen, life: 1, applied: 30, digest: "aa".into() };
        let reached = |goal| What::Reached { goal, after_ms: Some(300), last_look: String::new() };
        let said = [
            What::Clock { wall_ms: 2_000, error_ms: 10 },
            What::Plan(plan),
            status(1, true),
            status(2, false),
            position(1),
            position(2),
            What::Leads { queen: 1, life: 1, epoch: 2 },
            What::Learnt { forager: "forager-1".into(), life: 1, epoch: 2 },
            What::Foragers { index: 12, foragers: vec![forager(3, 0)] },
            reached(Goal::Leader),
            reached(Goal::FreshSubmission),
            reached(Goal::AllFinal),
            reached(Goal::Settled),
            reached(Goal::Resumed),
            reached(Goal::ServesAgain),
        ];
        self.records.extend(said.map(|what| ("harness".to_owned(), what)));
    }

    fn answered(&mut self, call: Call, (status, index): (u16, u64), graph: GraphShown) {
        self.op(call, |op| What::Ok { op, status, index, life: Some(1), graph: Some(graph) });
        self.records.extend(self.late.drain(..).map(|(_, by, what)| (by, what)));
    }

    /// Adds an operation of client-1 at queen-1 after everything else.
    pub(super) fn op(&mut self, call: Call, answer: impl FnOnce(u64) -> What) {
        self.ops += 1;
        self.add("client-1", What::Invoke { op: self.ops, queen: 1, call });
        self.add("client-1", answer(self.ops));
    }

    /// Adds something after everything else.
    pub(super) fn add(&mut self, by: &str, what: What) {
        self.late.push((self.clock_ms, by.to_owned(), what));
    }

    /// Adds something before anybody reads an event.
    pub(super) fn add_early(&mut self, by: &str, what: What) {
        self.records.push((by.to_owned(), what));
    }

    /// Time goes by before what is added next.
    pub(super) fn wait_ms(&mut self, ms: u64) {
        self.clock_ms += ms;
    }

    /// Nobody reads further.
    pub(super) fn read_only_to(&mut self, last: u64) {
        self.readers.iter_mut().for_each(|reader| reader.retain(|index, _| *index <= last));
        self.read_upto = last;
    }

    /// Leaves out what is not to be kept.
    pub(super) fn retain(&mut self, keep: impl Fn(&What) -> bool) {
        self.records.retain(|(_, what)| keep(what));
    }

    /// Changes the results that a graph has at the end.
    pub(super) fn results(&mut self, id: &str, change: impl FnOnce(&mut BTreeMap<String, Value>)) {
        let results = self.records.iter_mut().find_map(|(_, what)| {
            let What::Final { graph, results } = what else { return None };
            (graph.id == id).then_some(results)
        });
        change(results.expect("the graph has an end"));
    }

    /// All readers see an event.
    pub(super) fn everyone_reads(&mut self, index: u64, event: &Event) {
        self.readers.iter_mut().for_each(|reader| reader.entry(index).or_default().push(event.clone()));
    }

    /// Where a node's line stands in the ledger.
    pub(super) fn line(&self, node: &str, mark: Mark) -> usize {
        self.ledger.iter().position(|line| line.node == node && line.event == mark).expect("it stands there")
    }

    /// A node of `g1` runs once more.
    pub(super) fn run_again(&mut self, node: &str, fence: u64) {
        self.run("g1", node, fence);
    }

    fn run(&mut self, graph: &str, node: &str, fence: u64) {
        let at = 1_000 + fence * 10;
        let line = |event, at| Line {
            event,
            graph: graph.into(),
            node: node.into(),
            index: 0,
            fence,
            epoch: 2,
            forager: "forager-1".into(),
            at,
            exit: None,
        };
        self.ledger.extend([line(Mark::Start, at), line(Mark::End, at + 5)]);
    }

    fn evidence(self) -> Evidence {
        let mut records: Vec<(u64, String, What)> = self.records.into_iter().map(|(by, what)| (0, by, what)).collect();
        for (number, entries) in self.readers.into_iter().enumerate() {
            let by = format!("watch-{}", number + 1);
            let entries = entries.into_iter().map(|(index, events)| What::Entry { index, events });
            let read = std::iter::once(What::Stream { queen: 1, after: 0 }).chain(entries);
            let read = read.chain([What::Read { upto: self.read_upto }]);
            records.extend(read.map(|what| (0, by.clone(), what)));
        }
        records.extend(self.late);
        let records = (0..).zip(records).map(|(seq, (ms, by, what))| Record { at_us: ms * 1_000 + seq, by, seq, what });
        Evidence::new(records.collect(), self.ledger)
    }
}

#[test]
fn a_sound_history_is_found_sound() {
    let violations = check_evidence(&with(|_| {}));
    assert!(violations.is_empty(), "{violations:?}");
}

#[test]
fn a_history_is_the_same_after_it_was_written_and_read() {
    let evidence = with(|_| {});
    for record in &evidence.records {
        let line = serde_json::to_string(record).expect("it can be written");
        assert_eq!(&serde_json::from_str::<Record>(&line).expect("it can be read"), record, "{line}");
    }
}
