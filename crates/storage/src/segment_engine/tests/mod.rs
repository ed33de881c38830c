//! What the segment engine promises of its own: what is cut, what is refused, and in which bytes it is written.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::disk::{Disk, MemoryDisk};
use crate::engine::{Bounds, Fact, LogEngine, Record};
use crate::engine_tests::{callback, record};
use crate::{QueuedEngine, SegmentEngine, StorageError};

mod damage;
mod faults;
mod golden;
mod torn;
mod upkeep;

const FOLDER: &str = "/log";

/// Segments that hold a few groups.
const SMALL: u64 = 4 << 10;

fn open(disk: &MemoryDisk) -> Result<QueuedEngine, StorageError> {
    open_on(Arc::new(disk.clone()))
}

fn open_on(disk: Arc<dyn Disk>) -> Result<QueuedEngine, StorageError> {
    SegmentEngine::open_by_hand(disk, Path::new(FOLDER), SMALL)
}

/// Makes a change and writes it.
fn write(engine: &QueuedEngine, change: impl FnOnce(&QueuedEngine, crate::OnDurable)) -> Result<(), StorageError> {
    let (done, answer) = callback();
    change(engine, done);
    engine.write_queued();
    answer.try_recv().unwrap()
}

fn append(engine: &QueuedEngine, indices: std::ops::Range<u64>) -> Result<(), StorageError> {
    write(engine, |engine, done| engine.append(indices.map(sized).collect(), done))
}

/// Records of several sizes, some larger than a sector.
fn sized(index: u64) -> Record {
    record(index, &vec![index.to_le_bytes()[0]; usize::try_from(index * 389 % 1201).unwrap()])
}

/// Everything that a log says.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Contents {
    bounds: Bounds,
    records: Vec<Record>,
    vote: Option<Vec<u8>>,
    purged: Option<Vec<u8>>,
}

fn contents(engine: &QueuedEngine) -> Contents {
    Contents {
        bounds: engine.bounds(),
        records: engine.read(0, u64::MAX, usize::MAX).unwrap(),
        vote: engine.vote(),
        purged: engine.fact(Fact::Purged),
    }
}

/// The paths of the segments, the oldest first.
fn segments(disk: &MemoryDisk) -> Vec<PathBuf> {
    let names = disk.list(Path::new(FOLDER)).unwrap();
    names.iter().filter(|name| name.ends_with(".segment")).map(|name| Path::new(FOLDER).join(name)).collect()
}

/// Another disk with the same files.
fn copy(disk: &MemoryDisk) -> MemoryDisk {
    let copy = MemoryDisk::new();
    copy.create_folders(Path::new(FOLDER)).unwrap();
    for name in disk.list(Path::new(FOLDER)).unwrap().iter().filter(|name| *name != "lock") {
        let path = Path::new(FOLDER).join(name);
        put(&copy, &path, &disk.read(&path).unwrap());
    }
    copy
}

/// Gives a file this content, durably.
fn put(disk: &MemoryDisk, path: &Path, bytes: &[u8]) {
    crate::write_atomically(disk, path, bytes).unwrap();
}

/// A log with several segments, that has been truncated, purged and voted in.
fn seasoned() -> MemoryDisk {
    let disk = MemoryDisk::new();
    for round in 0..2 {
        let engine = open(&disk).unwrap();
        for step in 0..10 {
            let next = engine.bounds().next();
            append(&engine, next..next + 3).unwrap();
            write(&engine, |engine, done| engine.truncate_after(Some(next + 1), done)).unwrap();
            write(&engine, |engine, done| engine.save_vote(vec![round, step], done)).unwrap();
        }
        write(&engine, |engine, done| engine.save_fact(Fact::Purged, vec![round], done)).unwrap();
        write(&engine, |engine, done| engine.purge_to(2 + u64::from(round) * 9, done)).unwrap();
    }
    assert!(segments(&disk).len() >= 4);
    disk
}
