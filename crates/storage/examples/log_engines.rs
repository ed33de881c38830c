//! Measures the log engines side by side: `cargo run --release -p antfarm-storage --example log_engines [FOLDER]`.
//!
//! Each engine in turn writes durable batches of 1, 16 and 256 entries of 256 bytes, one batch at a time, several rounds of
//! each; then a log of a million entries is opened. The folder should be on the disk that is to be measured; everything
//! in it is removed again.

#![expect(clippy::unwrap_used, reason = "a measurement that cannot be made ends")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use antfarm_storage::{LogEngine, QueuedEngine, Record, SegmentEngine, SledEngine, SystemDisk};
use bytes::Bytes;

const ENTRY_BYTES: usize = 256;
/// Short and many, so that what else the machine does meets all engines alike.
const ROUNDS: usize = 40;
const ROUND: Duration = Duration::from_millis(250);
const RESTART_ENTRIES: u64 = 1_000_000;
const RESTART_BATCH: u64 = 1000;

const ENGINES: [&str; 2] = ["sled", "segments"];

fn open(engine: &str, folder: &Path) -> QueuedEngine {
    match engine {
        "sled" => SledEngine::open(folder).unwrap(),
        _ => SegmentEngine::open(Arc::new(SystemDisk), folder).unwrap(),
    }
}

fn main() {
    let above = std::env::args().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let folder = tempfile::tempdir_in(above).unwrap();
    println!(
        "| engine | entries in a batch | entries/s, median of the rounds (quartiles) | p50 ms | p90 ms | p99 ms | bytes on disk per entry |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for batch in [1, 16, 256] {
        let mut runs = ENGINES.map(|engine| Run::new(engine, batch, &folder.path().join(format!("{engine}-{batch}"))));
        for _ in 0..ROUNDS {
            runs.iter_mut().for_each(Run::round);
        }
        for run in runs {
            run.print();
        }
    }
    println!();
    println!("| engine | restart with {RESTART_ENTRIES} entries, s | written in, s |");
    println!("| --- | --- | --- |");
    for engine in ENGINES {
        restart(engine, &folder.path().join(format!("{engine}-restart")));
    }
}

/// One engine under one load.
struct Run {
    name: &'static str,
    folder: PathBuf,
    engine: QueuedEngine,
    batch: u64,
    latencies: Vec<Duration>,
    /// Entries in a second, of each round.
    rates: Vec<u64>,
}

impl Run {
    fn new(name: &'static str, batch: u64, folder: &Path) -> Self {
        let engine = open(name, folder);
        Self { name, folder: folder.to_owned(), engine, batch, latencies: Vec::new(), rates: Vec::new() }
    }

    /// Writes for a while.
    fn round(&mut self) {
        let (begin, first) = (Instant::now(), self.latencies.len());
        while begin.elapsed() < ROUND {
            let next = self.engine.bounds().next();
            let begun = Instant::now();
            durable(&self.engine, records(next, self.batch));
            self.latencies.push(begun.elapsed());
        }
        let entries = (self.latencies.len() - first) as u64 * self.batch;
        self.rates.push(entries * 1000 / u64::try_from(begin.elapsed().as_millis()).unwrap());
    }

    fn print(mut self) {
        self.latencies.sort_unstable();
        self.rates.sort_unstable();
        let at = |percent: usize| self.latencies[(self.latencies.len() - 1) * percent / 100].as_secs_f64() * 1000.0;
        let (p50, p90, p99) = (at(50), at(90), at(99));
        let (median, low, high) = (self.rates[ROUNDS / 2], self.rates[ROUNDS / 4], self.rates[ROUNDS * 3 / 4]);
        let entries = self.engine.bounds().next();
        drop(self.engine);
        let bytes = folder_bytes(&self.folder) / entries;
        let (name, batch) = (self.name, self.batch);
        println!("| {name} | {batch} | {median} ({low}–{high}) | {p50:.2} | {p90:.2} | {p99:.2} | {bytes} |");
        std::fs::remove_dir_all(&self.folder).unwrap();
    }
}

/// Writes a long log, and opens it again.
fn restart(name: &str, folder: &Path) {
    let begun = Instant::now();
    let engine = open(name, folder);
    for batch in 0..RESTART_ENTRIES / RESTART_BATCH {
        durable(&engine, records(batch * RESTART_BATCH, RESTART_BATCH));
    }
    drop(engine);
    let written = begun.elapsed().as_secs_f64();
    let mut times: Vec<Duration> = (0..3)
        .map(|_| {
            let begun = Instant::now();
            let engine = open(name, folder);
            assert_eq!(engine.bounds().next(), RESTART_ENTRIES);
            begun.elapsed()
        })
        .collect();
    times.sort_unstable();
    println!("| {name} | {:.2} | {written:.1} |", times[1].as_secs_f64());
    std::fs::remove_dir_all(folder).unwrap();
}

fn records(first: u64, count: u64) -> Vec<Record> {
    let payload = |index: u64| Bytes::from(vec![index.to_le_bytes()[0]; ENTRY_BYTES]);
    (first..first + count).map(|index| Record { index, payload: payload(index) }).collect()
}

/// Appends records and waits until they are durable.
fn durable(engine: &QueuedEngine, records: Vec<Record>) {
    let (done, answer) = channel();
    engine.append(records, Box::new(move |result| done.send(result).unwrap()));
    answer.recv().unwrap().unwrap();
}

fn folder_bytes(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).unwrap();
    files.map(|file| file.unwrap().metadata().unwrap()).filter(std::fs::Metadata::is_file).map(|file| file.len()).sum()
}
