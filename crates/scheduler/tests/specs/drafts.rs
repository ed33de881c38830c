//! A graph that was read before its submission is applied comes to the same as one that was not.

use std::fmt::Write as _;
use std::sync::Arc;

use antfarm_model::{CostClass, EffectClass, LogIndex, Span, WallTime};
use antfarm_scheduler::{Command, Draft, Drafts, Entry, GraphSource, LoadError, Outcome, Position, State};

use crate::farm::Farm;

/// Roots of every kind, among them one whose moment has come and one whose moment has not.
const GRAPHS: &[&str] = &[
    "{id: plain, nodes: {a: {tool: work}, b: {tool: work, after: [a]}}}",
    "{id: fan, nodes: {n: {tool: work, array: {count: 1000}}, m: {tool: more, array: {count: 700}, after: [n]}}}",
    "{id: dated, nodes: {a: {tool: work, deadline: '2033-01-01T00:00:00Z'}, b: {tool: work},
        c: {tool: work, not_before: '2032-01-01T00:00:00Z'}, d: {tool: more, not_before: '2001-01-01T00:00:00Z'},
        e: {tool: work, pin: f, retries: 7}, f: {tool: work, pin: f}, g: {tool: work, args: [{$ref: e}]}}}",
    "{id: unknown, nodes: {a: {tool: x}, b: {tool: work}, c: {tool: x}, d: {tool: w}}}",
    "{id: plain, nodes: {a: {tool: work}}}",
    "{id: plain, nodes: {a: {tool: work}, b: {tool: work, after: [a]}}}",
];

fn farm() -> Farm {
    let mut farm = Farm::new();
    farm.now.wall = WallTime(1_893_455_999_000);
    farm.tool("work", CostClass::Cpu, EffectClass::Guarded);
    farm.tool("more", CostClass::Io, EffectClass::Pure);
    farm.forager("f", 4, &["work", "more"]);
    farm
}

fn bytes(text: &str) -> Vec<u8> {
    GraphSource::encode(
        &antfarm_model::document::graph(text.as_bytes(), &antfarm_model::Limits::default()).expect("good"),
    )
}

fn apply(farm: &mut Farm, command: Command, drafts: &mut Drafts) -> Outcome {
    let position = Position { index: LogIndex(farm.state.applied().index.0 + 1), term: 1 };
    let (wall, elapsed) = (farm.now.wall, farm.now.elapsed);
    let entry = Entry { epoch: farm.state.epoch(1), wall, elapsed, commands: vec![command] };
    let outcome = farm.state.apply_drafted(position, &entry, drafts);
    farm.state.check();
    outcome
}

fn drafts(parts: Vec<Arc<[u8]>>) -> Drafts {
    let mut drafts = Drafts::default();
    drafts.add(Draft::read(parts));
    drafts
}

fn assert_same(with: &Farm, without: &Farm) {
    assert_eq!(with.state.snapshot().digest(), without.state.snapshot().digest());
    assert_eq!(with.state.render(), without.state.render());
}

#[test]
fn a_submission_with_a_draft_comes_to_what_it_comes_to_without() {
    let (mut with, mut without) = (farm(), farm());
    for text in GRAPHS {
        let bytes: Arc<[u8]> = bytes(text).into();
        let submit = || Command::Submit(GraphSource::Inline(Arc::clone(&bytes)));
        let told = apply(&mut with, submit(), &mut drafts(vec![Arc::clone(&bytes)]));
        assert_eq!(told, apply(&mut without, submit(), &mut Drafts::default()), "{text}");
        assert_same(&with, &without);
    }
    assert_eq!(with.state.graph_count(), 3);
    assert_eq!(with.work(), without.work());
    for farm in [&mut with, &mut without] {
        farm.pass(Span::from_secs(5));
        farm.run_all("1");
    }
    assert_same(&with, &without);
}

#[test]
fn an_upload_is_read_from_its_parts() {
    let (mut with, mut without) = (farm(), farm());
    let bytes = bytes(GRAPHS[1]);
    let parts = u32::try_from(bytes.chunks(20).len()).expect("few");
    for farm in [&mut with, &mut without] {
        for (part, piece) in (0..).zip(bytes.chunks(20)) {
            assert_eq!(farm.state.uploaded(7, parts), None, "some are missing");
            let command = Command::Upload { upload: 7, part, bytes: piece.into(), parts };
            farm.one(command).expect("there is room");
        }
    }
    let all = with.state.uploaded(7, parts).expect("all are there");
    assert!(with.state.is_uploading(7));
    let submit = || Command::Submit(GraphSource::Uploaded { upload: 7, parts });
    let told = apply(&mut with, submit(), &mut drafts(all));
    assert_eq!(told, apply(&mut without, submit(), &mut Drafts::default()));
    assert!(told.answers[0].is_ok(), "{told:?}");
    assert_same(&with, &without);
    assert!(!with.state.is_uploading(7));
}

#[test]
fn a_draft_of_other_bytes_counts_for_nothing() {
    let mut farm = farm();
    let (other, bytes): (Arc<[u8]>, Arc<[u8]>) = (bytes(GRAPHS[1]).into(), bytes(GRAPHS[0]).into());
    let told = apply(&mut farm, Command::Submit(GraphSource::Inline(bytes)), &mut drafts(vec![other]));
    assert!(told.answers[0].is_ok() && farm.state.graph_named("plain").is_some(), "{told:?}");
    let broken: Arc<[u8]> = Arc::from([1_u8, 2, 3].as_slice());
    let submit = Command::Submit(GraphSource::Inline(Arc::clone(&broken)));
    let told = apply(&mut farm, submit, &mut drafts(vec![broken]));
    assert!(told.answers[0].is_err(), "{told:?}");
}

#[test]
fn a_digest_is_that_of_the_state_whatever_is_remembered_of_former_ones() {
    let mut farm = farm();
    let mut digests = Vec::new();
    let mut nodes = String::new();
    (0..600).for_each(|node| write!(nodes, "n{node}: {{tool: work}}, ").expect("a String takes all"));
    farm.submit(&format!("{{id: many, nodes: {{{nodes}}}}}")).expect("accepted");
    farm.submit(GRAPHS[1]).expect("accepted");
    for _ in 0..6 {
        let snapshot = farm.state.snapshot();
        let loaded = State::load(snapshot.records().map(Ok::<_, LoadError>)).expect("what was written can be read");
        assert_eq!(snapshot.digest(), loaded.snapshot().digest());
        digests.push(snapshot.digest());
        farm.work();
        farm.pass(Span::from_secs(1));
        let open = farm.open(antfarm_model::ForagerNo(0));
        for attempt in open {
            let outcome = antfarm_scheduler::AttemptOutcome::Succeeded { result: "1".into() };
            let end = Command::End { forager: antfarm_model::ForagerNo(0), attempts: attempt.into(), outcome };
            farm.one(end).expect("it is open");
        }
    }
    digests.dedup();
    assert_eq!(digests.len(), 6, "each state has another");
}
