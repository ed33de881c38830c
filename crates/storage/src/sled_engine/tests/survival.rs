//! What was acknowledged is there after a restart, in sled's own file.

use std::path::PathBuf;

use tempfile::TempDir;

use super::{folder, open, record, records, tamper, wait};
use crate::engine::LogEngine;
use crate::sled_engine::value::{self, START_KEY, piece_key};

#[test]
fn records_larger_than_a_piece_survive_and_never_become_unsynced_files() {
    let folder = folder();
    let large = |index: u64| {
        record(index, &vec![index.to_le_bytes()[0]; (64 << 10) * (1 + usize::from(index.to_le_bytes()[0] % 17))])
    };
    let engine = open(&folder);
    for index in 0..60 {
        wait(|done| engine.append(vec![large(index)], done)).unwrap();
    }
    wait(|done| engine.truncate_after(Some(49), done)).unwrap();
    wait(|done| engine.purge_to(9, done)).unwrap();
    wait(|done| engine.append((50..60).map(large).collect(), done)).unwrap();
    drop(engine);
    let engine = open(&folder);
    for index in 10..60 {
        assert_eq!(engine.read(index, index + 1, 0).unwrap(), [large(index)]);
    }
    assert_eq!(unsynced_files(&folder), Vec::<PathBuf>::new());
}

#[test]
fn a_group_larger_than_a_batch_is_written_whole() {
    let folder = folder();
    let engine = open(&folder);
    let many: Vec<_> = (0..40_000).map(|index| record(index, &[3; 300])).collect();
    wait(|done| engine.append(many.clone(), done)).unwrap();
    wait(|done| engine.purge_to(29_999, done)).unwrap();
    drop(engine);
    assert_eq!(open(&folder).read(0, u64::MAX, usize::MAX).unwrap(), many[30_000..]);
    assert_eq!(unsynced_files(&folder), Vec::<PathBuf>::new());
}

#[test]
fn a_purge_that_was_interrupted_is_completed() {
    let folder = folder();
    let engine = open(&folder);
    wait(|done| engine.append(records(0..10), done)).unwrap();
    drop(engine);
    tamper(&folder, |db| {
        db.insert(START_KEY, value::encode(START_KEY, &4_u64.to_le_bytes())).unwrap();
    });
    let engine = open(&folder);
    assert_eq!(engine.read(0, 99, usize::MAX).unwrap(), records(4..10));
    drop(engine);
    tamper(&folder, |db| assert_eq!(db.get(piece_key(3, 0)).unwrap(), None));
}

/// Where sled puts pages that are too large for its own file.
fn unsynced_files(folder: &TempDir) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder.path().join("blobs")).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}
