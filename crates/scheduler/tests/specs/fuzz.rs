//! Hostile bytes for what the log and snapshots hold: what is read can be applied, and leaves a sound state.

use std::sync::Arc;

use antfarm_fuzzing::Target;
use antfarm_model::{Args, Elapsed, Epoch, Graph, Limits, LogIndex, Node, WallTime, document};
use antfarm_scheduler::{Command, Entry, GraphSource, LoadError, Position, Reply, State};

use crate::farm::Farm;
use crate::golden;

const FOLDER: &str = env!("CARGO_MANIFEST_DIR");

/// A list that grows is there twice, once of them with room for as much again.
const GROWTH: usize = 3;

/// Larger graphs take more time than a fuzzer has: each instance is a record.
const MOST_INSTANCES: u64 = 10_000;

/// Bytes before the graph in what [`GraphSource::encode`] gives.
const HEADER_BYTES: usize = 3;

fn entry(commands: Vec<Command>) -> Entry {
    Entry { epoch: Epoch(1), wall: WallTime(2_000_000), elapsed: Elapsed(3_000), commands }
}

/// Commands that mean something to the state of [`golden::farm`].
fn commands() -> Vec<Command> {
    let mut commands: Vec<Command> = golden::commands().into_iter().map(|(_, command)| command).collect();
    let graph = document::graph(GRAPH.as_bytes(), &Limits::default()).expect("a good graph");
    commands.push(Command::Submit(GraphSource::Inline(GraphSource::encode(&graph).into())));
    let farm = golden::farm();
    for forager in farm.state.foragers() {
        for (attempt, _) in forager.attempts() {
            commands.push(Command::Started { forager: forager.no, attempts: (*attempt).into() });
            commands.push(Command::Return { forager: forager.no, attempts: (*attempt).into() });
        }
    }
    commands
}

const GRAPH: &str = "{id: k, nodes: {a: {tool: t, args: [1], retries: 3, not_before: 2026-01-01T00:00:00Z}, b: {tool: t, array: {count: 3}, args: {x: {$ref: 'a#/y'}}, pin: f, deadline: 2030-01-01T00:00:00Z}, c: {tool: t, after: ['b[2]']}}}";

/// The records of a snapshot, each with its length before it.
fn framed(state: &State) -> Vec<u8> {
    let framed = |record: Vec<u8>| [&u32::try_from(record.len()).expect("short").to_le_bytes()[..], &record].concat();
    state.snapshot().records().flat_map(framed).collect()
}

fn unframed(mut bytes: &[u8]) -> impl Iterator<Item = Result<Vec<u8>, LoadError>> {
    std::iter::from_fn(move || {
        let (length, rest) = bytes.split_first_chunk::<4>()?;
        let (record, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        bytes = rest;
        Some(Ok(record.to_vec()))
    })
}

fn load(bytes: &[u8]) -> Option<State> {
    State::load(unframed(bytes)).ok()
}

fn apply(state: &mut State, mut entry: Entry) {
    let applied = state.applied();
    let position = Position { index: LogIndex(applied.index.0 + 1), ..applied };
    entry.epoch = state.epoch(position.term);
    state.apply(position, &entry);
}

/// A state is sound, as it is and after everything that may come next, and survives a snapshot.
fn is_sound(mut state: State) {
    state.check();
    for command in commands() {
        apply(&mut state, entry(vec![command]));
    }
    apply(&mut state, Entry { wall: WallTime(u64::MAX), elapsed: Elapsed(u64::MAX), ..entry(Vec::new()) });
    state.check();
    survives(&state);
}

fn survives(state: &State) {
    let again = load(&framed(state)).expect("a snapshot loads");
    assert_eq!(again.snapshot().digest(), state.snapshot().digest());
}

fn is_large(command: &Command) -> bool {
    let Command::Submit(GraphSource::Inline(bytes)) = command else { return false };
    let graph = antfarm_binary::decode::<Graph>(bytes.get(HEADER_BYTES..).unwrap_or_default());
    graph.is_some_and(|graph| graph.nodes.iter().map(|node| u64::from(node.instances())).sum::<u64>() > MOST_INSTANCES)
}

#[test]
fn entries_of_the_log() {
    let farm = framed(&golden::farm().state);
    Target::new(FOLDER, "entries_of_the_log")
        .samples(commands().into_iter().map(|command| entry(vec![command]).encode()))
        .sample(entry(commands()).encode())
        .takes(GROWTH * size_of::<Command>() / 2)
        .dense(|elements| entry(vec![golden::commands().remove(13).1; elements]).encode())
        .run(
            |bytes| Entry::decode(bytes).ok(),
            |_, entry| {
                assert_eq!(Entry::decode(&entry.encode()).as_ref(), Ok(&entry));
                if !entry.commands.iter().any(is_large) {
                    let mut state = load(&farm).expect("it was just written");
                    apply(&mut state, entry);
                    state.check();
                    survives(&state);
                }
            },
        );
}

#[test]
fn graphs_of_the_log() {
    let sample = document::graph(GRAPH.as_bytes(), &Limits::default()).expect("a good graph");
    let one = Node { args: Args { json: "".into(), references: Vec::new() }, ..sample.nodes[0].clone() };
    let graph = move |elements| Graph { nodes: vec![one.clone(); elements], ..sample.clone() };
    let small = graph.clone();
    Target::new(FOLDER, "graphs_of_the_log")
        .sample(GraphSource::encode(&document::graph(GRAPH.as_bytes(), &Limits::default()).expect("a good graph")))
        .takes(100)
        .dense(move |elements| GraphSource::encode(&small(elements)))
        .run(
            |bytes| {
                let mut farm = Farm::new();
                farm.tool("t", antfarm_model::CostClass::Cpu, antfarm_model::EffectClass::Pure);
                let command = Command::Submit(GraphSource::Inline(Arc::from(bytes)));
                if is_large(&command) {
                    return None;
                }
                matches!(farm.one(command), Ok(Reply::Submitted { .. })).then_some(farm.state)
            },
            |_, state| is_sound(state),
        );
}

#[test]
fn records_of_snapshots() {
    Target::new(FOLDER, "records_of_snapshots")
        .sample(framed(&golden::farm().state))
        .sample(framed(&State::new(1)))
        .takes(100)
        .run(load, |_, state| {
            // Bytes that no replica wrote may make a state that is not sound. Of that nothing is promised but that reading
            // it harms nobody; the files of snapshots have checksums.
            if std::panic::catch_unwind(|| state.check()).is_ok() {
                is_sound(state);
            }
        });
}
