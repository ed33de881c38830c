//! A test that holds a memory engine decides what is durable, and when.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use antfarm_storage::{Bounds, Fact, LogEngine, MemoryEngine, OnDurable, Record, StorageError};
use bytes::Bytes;

#[test]
fn nothing_is_acknowledged_before_the_test_says_so() {
    let engine = MemoryEngine::held();
    let (first, answer) = callback();
    let (second, later) = callback();
    engine.append(records(0..3), first);
    engine.save_vote(vec![1], second);
    assert_eq!(engine.bounds().last, Some(2));
    assert_eq!((engine.waiting(), answer.try_recv().is_err()), (2, true));
    engine.release(1);
    assert!(answer.try_recv().unwrap().is_ok() && later.try_recv().is_err());
    engine.release(9);
    assert!(later.try_recv().unwrap().is_ok());
}

#[test]
fn a_restart_keeps_what_was_released_and_nothing_else() {
    let engine = MemoryEngine::held();
    engine.append(records(0..9), ignore());
    engine.purge_to(1, ignore());
    engine.truncate_after(Some(6), ignore());
    engine.save_fact(Fact::Identity, vec![7], ignore());
    engine.release(4);
    engine.append(records(7..9), ignore());
    engine.save_vote(vec![1], ignore());
    let engine = engine.restart();
    assert_eq!(engine.bounds(), Bounds { first: 2, last: Some(6) });
    assert_eq!(engine.read(0, 99, usize::MAX).unwrap(), records(2..7));
    assert_eq!((engine.vote(), engine.fact(Fact::Identity)), (None, Some(vec![7])));
    assert_eq!(engine.waiting(), 0);
    engine.append(records(7..8), ignore());
    assert_eq!(engine.waiting(), 1, "the new one is held, too");
}

#[test]
fn a_failure_answers_everything_that_waits_and_everything_later() {
    let engine = MemoryEngine::held();
    let (done, answer) = callback();
    engine.append(records(0..1), done);
    let source = Arc::new(io::Error::from_raw_os_error(28));
    engine.fail(&StorageError::Io { path: PathBuf::from("/log"), operation: "writing", source });
    assert!(matches!(answer.try_recv().unwrap(), Err(StorageError::Io { .. })));
    let (done, answer) = callback();
    engine.save_vote(vec![], done);
    assert!(matches!(answer.try_recv().unwrap(), Err(StorageError::Failed { .. })));
    assert!(matches!(engine.read(0, 1, 0), Err(StorageError::Failed { .. })));
    assert_eq!(engine.restart().bounds(), Bounds { first: 0, last: None });
}

fn records(indices: std::ops::Range<u64>) -> Vec<Record> {
    indices.map(|index| Record { index, payload: Bytes::copy_from_slice(&index.to_le_bytes()) }).collect()
}

fn callback() -> (OnDurable, Receiver<Result<(), StorageError>>) {
    let (sender, receiver) = channel();
    (Box::new(move |answer| sender.send(answer).expect("the test looks")), receiver)
}

fn ignore() -> OnDurable {
    Box::new(drop)
}
