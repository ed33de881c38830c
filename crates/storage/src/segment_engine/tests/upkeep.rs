//! The log stays bounded, and reads what it has removed meanwhile to the end.

use std::path::Path;
use std::sync::Arc;

use super::{FOLDER, append, contents, open, segments, sized, write};
use crate::disk::{Disk, MemoryDisk, SystemDisk};
use crate::engine::{Bounds, Fact, LogEngine};
use crate::engine_tests::folder;
use crate::error::StorageError;
use crate::{EngineName, SegmentEngine, SledEngine};

#[test]
fn a_purge_frees_whole_segments_and_what_they_said_is_kept() {
    let disk = MemoryDisk::new();
    let engine = open(&disk).unwrap();
    write(&engine, |engine, done| engine.save_vote(b"vote".to_vec(), done)).unwrap();
    write(&engine, |engine, done| engine.save_fact(Fact::Purged, b"fact".to_vec(), done)).unwrap();
    let mut most = 0;
    for step in 0..300 {
        append(&engine, step..step + 1).unwrap();
        if step > 20 {
            write(&engine, |engine, done| engine.purge_to(step - 20, done)).unwrap();
        }
        most = most.max(segments(&disk).len());
    }
    assert!(most <= 10, "{most} segments for twenty records");
    let before = contents(&engine);
    drop(engine);
    disk.crash();
    let again = contents(&open(&disk).unwrap());
    assert_eq!(again, before);
    assert_eq!(again.bounds, Bounds { first: 280, last: Some(299) });
    assert_eq!((again.vote, again.purged), (Some(b"vote".to_vec()), Some(b"fact".to_vec())));
}

#[test]
fn a_log_that_is_purged_and_truncated_to_nothing_begins_where_it_should() {
    let disk = MemoryDisk::new();
    let engine = open(&disk).unwrap();
    append(&engine, 5..20).unwrap();
    write(&engine, |engine, done| engine.truncate_after(Some(9), done)).unwrap();
    append(&engine, 10..30).unwrap();
    write(&engine, |engine, done| engine.truncate_after(None, done)).unwrap();
    write(&engine, |engine, done| engine.purge_to(99, done)).unwrap();
    for _ in 0..3 {
        let engine = open(&{
            disk.crash();
            disk.clone()
        })
        .unwrap();
        assert_eq!(engine.bounds(), Bounds { first: 100, last: None });
        write(&engine, |engine, done| engine.save_vote(vec![1; 4000], done)).unwrap();
    }
    assert!(segments(&disk).len() <= 2);
}

#[test]
fn a_process_that_starts_and_writes_nothing_leaves_the_files_as_they_are() {
    let disk = MemoryDisk::new();
    append(&open(&disk).unwrap(), 0..3).unwrap();
    let before = disk.list(Path::new(FOLDER)).unwrap();
    for _ in 0..5 {
        assert_eq!(open(&disk).unwrap().bounds().last, Some(2));
    }
    assert_eq!(disk.list(Path::new(FOLDER)).unwrap(), before);
}

#[test]
fn changes_that_wait_are_one_group() {
    let disk = MemoryDisk::new();
    let engine = open(&disk).unwrap();
    for index in 0..10 {
        engine.append(vec![sized(index)], Box::new(|answer| answer.unwrap()));
    }
    assert_eq!(engine.bounds().last, Some(9), "readable before it is durable");
    disk.crash();
    drop(engine);
    assert_eq!(open(&disk).unwrap().bounds().last, None);
}

#[test]
fn a_folder_of_the_other_engine_is_refused_by_both_and_left_as_it_is() {
    let (sled, segments) = (folder(), folder());
    drop(SledEngine::open(sled.path()).unwrap());
    let engine = SegmentEngine::open(Arc::new(SystemDisk), segments.path()).unwrap();
    super::super::super::engine_tests::wait(|done| engine.save_vote(vec![1], done)).unwrap();
    drop(engine);

    let error = SegmentEngine::open(Arc::new(SystemDisk), sled.path()).unwrap_err();
    let (found, asked) = (EngineName::Sled, EngineName::Segments);
    assert!(matches!(&error, StorageError::OtherEngine { found: f, asked: a, .. } if (*f, *a) == (found, asked)));
    let text = error.to_string();
    assert!(text.contains("engine = \"sled\" under [storage]"), "{text}");
    let error = SledEngine::open(segments.path()).unwrap_err();
    assert!(error.to_string().contains("engine = \"segments\" under [storage]"), "{error}");
    assert_eq!(EngineName::of(&SystemDisk, segments.path()).unwrap(), Some(EngineName::Segments));

    SledEngine::open(sled.path()).unwrap();
    SegmentEngine::open(Arc::new(SystemDisk), segments.path()).unwrap();
}
