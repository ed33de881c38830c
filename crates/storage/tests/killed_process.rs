//! What an engine acknowledged is there after its process was killed.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::channel;

use antfarm_storage::{LogEngine, QueuedEngine, Record, SegmentEngine, SledEngine, SystemDisk};
use bytes::Bytes;

/// Set for the process that is to be killed: the folder to write to.
const FOLDER: &str = "ANTFARM_STORAGE_TEST_FOLDER";

const ROUNDS: u64 = 6;

#[test]
fn what_sled_acknowledged_survives_kill_9() {
    check("what_sled_acknowledged_survives_kill_9", |folder| SledEngine::open(folder).unwrap());
}

#[test]
fn what_segments_acknowledged_survives_kill_9() {
    let open = |folder: &Path| SegmentEngine::open(Arc::new(SystemDisk), folder).unwrap();
    check("what_segments_acknowledged_survives_kill_9", open);
}

fn check(test: &str, open: impl Fn(&Path) -> QueuedEngine) {
    if let Ok(folder) = std::env::var(FOLDER) {
        write_until_killed(&open(Path::new(&folder)));
    }
    let folder = tempfile::tempdir().unwrap();
    for round in 1..=ROUNDS {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture"])
            .env(FOLDER, folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut acknowledged = output.lines().map_while(Result::ok).filter_map(|line| line.parse::<u64>().ok());
        let seen = acknowledged.by_ref().nth(37 * usize::try_from(round).unwrap()).expect("the child writes");
        child.kill().unwrap();
        let last = acknowledged.last().unwrap_or(seen);
        child.wait().unwrap();

        let engine = open(folder.path());
        let bounds = engine.bounds();
        assert!(bounds.last >= Some(last), "round {round}: {last} was acknowledged, and the log ends at {bounds:?}");
        let records = engine.read(0, u64::MAX, usize::MAX).unwrap();
        assert!(records.iter().all(|found| *found == record(found.index)));
        assert_eq!(records.len() as u64, bounds.next() - bounds.first);
    }
}

/// Appends in groups and purges now and then, and prints every index that was acknowledged.
fn write_until_killed(engine: &QueuedEngine) -> ! {
    let (sender, receiver) = channel();
    let mut output = std::io::stdout();
    writeln!(output).unwrap();
    loop {
        let next = engine.bounds().next();
        for index in next..next + 8 {
            let sender = sender.clone();
            let done = move |answer| sender.send((index, answer)).expect("the loop below waits");
            engine.append(vec![record(index)], Box::new(done));
        }
        engine.purge_to(next.saturating_sub(100), Box::new(|answer| answer.expect("the disk works")));
        for (index, answer) in receiver.iter().take(8) {
            answer.expect("the disk works");
            writeln!(output, "{index}").expect("the parent reads");
        }
    }
}

/// Some of one piece, some of several.
fn record(index: u64) -> Record {
    let size = usize::try_from(index * 379 % 9001).expect("small");
    Record { index, payload: Bytes::from(vec![index.to_le_bytes()[0]; size]) }
}
