//! What a snapshot costs: to begin, beside the entries that are applied meanwhile, to write and to load.

use std::time::Instant;

use antfarm_model::{GraphNo, Span};
use antfarm_scheduler::{Command, LoadError, State};
use serde::Serialize;

use super::farm::{Farm, name};
use super::memory::{GRAPHS, linked};

/// Foragers that run nodes while the snapshot is there.
const FORAGERS: u32 = 8;

/// Rounds of assignments and results that are applied meanwhile.
const ROUNDS: u32 = 100;

/// What a snapshot costs, once.
#[derive(Debug, Serialize)]
pub(super) struct Costs {
    /// While the state can neither be changed nor read.
    pub(super) begin_us: f64,
    /// The longest application of an entry while the snapshot is there: what changes first is copied.
    pub(super) longest_apply_ms: f64,
    pub(super) write_ms: f64,
    pub(super) load_ms: f64,
    /// Of all its records.
    pub(super) bytes: usize,
    /// The application of the removal of one graph with all those nodes, none of which has begun.
    pub(super) removal_ms: f64,
}

/// Takes a snapshot of so many open nodes, writes it to memory and loads it from there.
pub(super) fn measure(nodes: u32) -> Costs {
    let mut farm = Farm::empty();
    (0..FORAGERS).for_each(|forager| farm.register(forager, vec![name("noop")]));
    (0..GRAPHS).for_each(|graph| farm.submit(&linked(graph, nodes.div_ceil(GRAPHS), "noop")));
    let began = Instant::now();
    let snapshot = farm.state.snapshot();
    let begin_us = began.elapsed().as_secs_f64() * 1e6;
    let mut longest: f64 = 0.0;
    for _ in 0..ROUNDS {
        let cycle = farm.cycle();
        longest = longest.max(cycle.assigning).max(cycle.ending);
    }
    let began = Instant::now();
    let records: Vec<Vec<u8>> = snapshot.records().collect();
    let write_ms = millis_since(began);
    drop(farm);
    let bytes = records.iter().map(Vec::len).sum();
    let began = Instant::now();
    let loaded = State::load(records.into_iter().map(Ok::<_, LoadError>)).expect("what was written can be read");
    let load_ms = millis_since(began);
    assert_eq!(loaded.graph_count(), GRAPHS as usize, "everything was loaded");
    drop(loaded);
    Costs { begin_us, longest_apply_ms: longest * 1e3, write_ms, load_ms, bytes, removal_ms: removal_ms(nodes) }
}

fn removal_ms(nodes: u32) -> f64 {
    let mut farm = Farm::empty();
    farm.submit(&linked(0, nodes, "noop"));
    let graph = GraphNo(1);
    farm.apply(vec![Command::CancelGraph { graph }]);
    let began = Instant::now();
    farm.apply(vec![Command::RemoveGraph { graph, dedupe_window: Span::from_secs(60) }]);
    let took = millis_since(began);
    assert_eq!(farm.state.take_removed().len(), 1, "its memory is freed elsewhere");
    took
}

pub(super) fn millis_since(began: Instant) -> f64 {
    began.elapsed().as_secs_f64() * 1e3
}
