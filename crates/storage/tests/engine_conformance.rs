//! What every log engine does, whatever it stands on.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use antfarm_storage::{
    Bounds, Fact, LogEngine, MAX_FACT_BYTES, MAX_RECORD_BYTES, MemoryEngine, OnDurable, Record, SegmentEngine,
    SledEngine, StorageError, SystemDisk,
};
use bytes::Bytes;

/// Far longer than any disk takes.
const PATIENCE: Duration = Duration::from_mins(1);

/// Runs every check against an engine that `make` makes anew for each.
macro_rules! conformance {
    ($module:ident, $make:expr, $($check:ident,)+) => {
        mod $module {
            $(
                #[test]
                fn $check() {
                    let (_folder, engine) = $make;
                    super::$check(&engine);
                }
            )+
        }
    };
}

macro_rules! for_each_engine {
    ($($check:ident,)+) => {
        conformance!(memory, ((), super::MemoryEngine::new()), $($check,)+);
        conformance!(sled, {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let engine = super::SledEngine::open(folder.path()).expect("a new folder opens");
            (folder, engine)
        }, $($check,)+);
        conformance!(segments, {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let disk = super::Arc::new(super::SystemDisk);
            let engine = super::SegmentEngine::open(disk, folder.path()).expect("a new folder opens");
            (folder, engine)
        }, $($check,)+);
    };
}

for_each_engine! {
    a_new_log_is_empty,
    records_are_readable_when_append_returns,
    a_read_stops_at_its_end_and_at_what_is_there,
    a_read_gives_one_record_however_large_then_as_many_as_fit,
    a_log_may_begin_anywhere_but_only_once,
    records_that_do_not_follow_are_refused_and_change_nothing,
    oversized_records_votes_and_facts_are_refused_and_change_nothing,
    truncation_keeps_up_to_and_including_its_index,
    truncation_of_everything_keeps_the_beginning,
    truncated_places_take_new_records,
    a_purge_removes_up_to_and_including_its_index,
    a_purge_beyond_the_end_moves_the_beginning,
    a_purge_before_the_beginning_does_nothing,
    the_vote_and_facts_are_replaced,
    callbacks_come_once_each_and_in_order,
    log_bytes_follow_every_change,
    large_and_empty_payloads_come_back_whole,
    a_long_log_is_read_back_in_pieces,
}

fn a_new_log_is_empty(engine: &dyn LogEngine) {
    assert_eq!(engine.bounds(), Bounds { first: 0, last: None });
    assert_eq!(engine.read(0, u64::MAX, usize::MAX).unwrap(), []);
    assert_eq!((engine.vote(), engine.fact(Fact::Committed), engine.log_bytes()), (None, None, 0));
}

fn records_are_readable_when_append_returns(engine: &dyn LogEngine) {
    let (done, durable) = callback();
    engine.append(records(0..3), done);
    assert_eq!(engine.bounds(), Bounds { first: 0, last: Some(2) });
    assert_eq!(engine.read(0, 3, usize::MAX).unwrap(), records(0..3));
    durable.recv_timeout(PATIENCE).unwrap().unwrap();
    assert_eq!(engine.read(1, 2, usize::MAX).unwrap(), records(1..2));
}

fn a_read_stops_at_its_end_and_at_what_is_there(engine: &dyn LogEngine) {
    append(engine, records(0..10));
    purge(engine, 2);
    assert_eq!(engine.read(0, 6, usize::MAX).unwrap(), records(3..6));
    assert_eq!(engine.read(8, 20, usize::MAX).unwrap(), records(8..10));
    assert_eq!(engine.read(10, 20, usize::MAX).unwrap(), []);
    assert_eq!(engine.read(6, 6, usize::MAX).unwrap(), []);
    assert_eq!(engine.read(7, 6, usize::MAX).unwrap(), []);
    assert_eq!(engine.read(0, 2, usize::MAX).unwrap(), []);
}

fn a_read_gives_one_record_however_large_then_as_many_as_fit(engine: &dyn LogEngine) {
    append(engine, (0..6).map(|index| record(index, &[7; 100])).collect());
    let count = |max_bytes| engine.read(1, 6, max_bytes).unwrap().len();
    assert_eq!([count(0), count(99), count(100), count(199), count(200), count(1000)], [1, 1, 1, 1, 2, 5]);
}

fn a_log_may_begin_anywhere_but_only_once(engine: &dyn LogEngine) {
    append(engine, records(5..7));
    assert_eq!(engine.bounds(), Bounds { first: 5, last: Some(6) });
    truncate(engine, None);
    assert_eq!(engine.bounds(), Bounds { first: 5, last: None });
    assert!(matches!(refused(engine, records(9..10)), StorageError::OutOfOrder { expected: 5, found: 9 }));
    append(engine, records(5..6));
}

fn records_that_do_not_follow_are_refused_and_change_nothing(engine: &dyn LogEngine) {
    append(engine, records(0..3));
    assert!(matches!(refused(engine, records(2..4)), StorageError::OutOfOrder { expected: 3, found: 2 }));
    assert!(matches!(refused(engine, records(4..5)), StorageError::OutOfOrder { expected: 3, found: 4 }));
    let gap = vec![record(3, b"3"), record(5, b"5")];
    assert!(matches!(refused(engine, gap), StorageError::OutOfOrder { expected: 4, found: 5 }));
    append(engine, records(3..5));
    assert_eq!(engine.read(0, 9, usize::MAX).unwrap(), records(0..5));
}

fn oversized_records_votes_and_facts_are_refused_and_change_nothing(engine: &dyn LogEngine) {
    let oversized = vec![record(0, &vec![0; MAX_RECORD_BYTES + 1])];
    assert!(matches!(refused(engine, oversized), StorageError::TooLarge { item: "log record", .. }));
    let vote = vec![0; MAX_FACT_BYTES + 1];
    assert!(matches!(wait(|done| engine.save_vote(vote.clone(), done)), Err(StorageError::TooLarge { .. })));
    let fact = wait(|done| engine.save_fact(Fact::Purged, vote.clone(), done));
    assert!(matches!(fact, Err(StorageError::TooLarge { .. })));
    assert_eq!((engine.bounds().last, engine.vote(), engine.fact(Fact::Purged)), (None, None, None));
    wait(|done| engine.save_vote(vec![0; MAX_FACT_BYTES], done)).unwrap();
}

fn truncation_keeps_up_to_and_including_its_index(engine: &dyn LogEngine) {
    append(engine, records(0..10));
    truncate(engine, Some(20));
    assert_eq!(engine.bounds().last, Some(9));
    truncate(engine, Some(6));
    assert_eq!(engine.bounds(), Bounds { first: 0, last: Some(6) });
    assert_eq!(engine.read(5, 20, usize::MAX).unwrap(), records(5..7));
}

fn truncation_of_everything_keeps_the_beginning(engine: &dyn LogEngine) {
    append(engine, records(0..10));
    purge(engine, 3);
    truncate(engine, Some(1));
    assert_eq!(engine.bounds(), Bounds { first: 4, last: None });
    append(engine, records(4..6));
    truncate(engine, None);
    assert_eq!(engine.bounds(), Bounds { first: 4, last: None });
}

fn truncated_places_take_new_records(engine: &dyn LogEngine) {
    let long = vec![9; 10_000];
    append(engine, (0..10).map(|index| record(index, &long)).collect());
    let (first, truncated) = callback();
    let (second, appended) = callback();
    engine.truncate_after(Some(6), first);
    engine.append(vec![record(7, b"new")], second);
    assert_eq!(engine.read(7, 20, usize::MAX).unwrap(), [record(7, b"new")]);
    truncated.recv_timeout(PATIENCE).unwrap().unwrap();
    appended.recv_timeout(PATIENCE).unwrap().unwrap();
    assert_eq!(engine.read(6, 20, usize::MAX).unwrap(), [record(6, &long), record(7, b"new")]);
}

fn a_purge_removes_up_to_and_including_its_index(engine: &dyn LogEngine) {
    append(engine, records(0..10));
    purge(engine, 6);
    assert_eq!(engine.bounds(), Bounds { first: 7, last: Some(9) });
    purge(engine, 9);
    assert_eq!(engine.bounds(), Bounds { first: 10, last: None });
    append(engine, records(10..12));
    assert_eq!(engine.read(0, 20, usize::MAX).unwrap(), records(10..12));
}

fn a_purge_beyond_the_end_moves_the_beginning(engine: &dyn LogEngine) {
    append(engine, records(0..3));
    purge(engine, 99);
    assert_eq!(engine.bounds(), Bounds { first: 100, last: None });
    assert!(matches!(refused(engine, records(3..4)), StorageError::OutOfOrder { expected: 100, found: 3 }));
    append(engine, records(100..102));
    assert_eq!(engine.bounds(), Bounds { first: 100, last: Some(101) });
}

fn a_purge_before_the_beginning_does_nothing(engine: &dyn LogEngine) {
    append(engine, records(5..8));
    purge(engine, 5);
    purge(engine, 2);
    assert_eq!(engine.bounds(), Bounds { first: 6, last: Some(7) });
}

fn the_vote_and_facts_are_replaced(engine: &dyn LogEngine) {
    for value in [b"one".to_vec(), Vec::new(), b"two".to_vec()] {
        let (done, durable) = callback();
        engine.save_vote(value.clone(), done);
        assert_eq!(engine.vote(), Some(value.clone()));
        durable.recv_timeout(PATIENCE).unwrap().unwrap();
        wait(|done| engine.save_fact(Fact::PeerDisk(3), value.clone(), done)).unwrap();
        assert_eq!(engine.fact(Fact::PeerDisk(3)), Some(value));
    }
    assert_eq!((engine.fact(Fact::PeerDisk(4)), engine.fact(Fact::Identity)), (None, None));
}

fn callbacks_come_once_each_and_in_order(engine: &dyn LogEngine) {
    let (sender, receiver) = channel();
    let numbered = |number: u64| -> OnDurable {
        let sender = sender.clone();
        Box::new(move |answer| sender.send((number, answer.is_ok())).expect("the test waits"))
    };
    for step in 0..200 {
        let number = step * 5;
        engine.append(records(step * 2..step * 2 + 2), numbered(number));
        engine.save_vote(vec![1], numbered(number + 1));
        engine.save_fact(Fact::Committed, vec![2], numbered(number + 2));
        engine.truncate_after(Some(step * 2 + 1), numbered(number + 3));
        engine.purge_to(step, numbered(number + 4));
    }
    for number in 0..1000 {
        assert_eq!(receiver.recv_timeout(PATIENCE).unwrap(), (number, true));
    }
    drop(sender);
    assert!(receiver.recv_timeout(PATIENCE).is_err(), "no callback comes twice");
}

fn log_bytes_follow_every_change(engine: &dyn LogEngine) {
    append(engine, (0..10).map(|index| record(index, &[1; 10])).collect());
    assert_eq!(engine.log_bytes(), 100);
    purge(engine, 2);
    assert_eq!(engine.log_bytes(), 70);
    truncate(engine, Some(5));
    assert_eq!(engine.log_bytes(), 30);
    append(engine, vec![record(6, &[1; 5])]);
    assert_eq!(engine.log_bytes(), 35);
    purge(engine, 50);
    assert_eq!(engine.log_bytes(), 0);
}

fn large_and_empty_payloads_come_back_whole(engine: &dyn LogEngine) {
    let sizes = [0, 1, 4095, 4096, 4097, 8192, 1 << 20, 3, 0];
    let written: Vec<_> = (0..).zip(sizes).map(|(index, size)| record(index, &pattern(index, size))).collect();
    append(engine, written.clone());
    assert_eq!(engine.read(0, 99, usize::MAX).unwrap(), written);
}

fn a_long_log_is_read_back_in_pieces(engine: &dyn LogEngine) {
    // More than an engine keeps in memory.
    for step in 0..90 {
        append(engine, vec![record(step, &pattern(step, 1 << 20))]);
    }
    let mut next = 0;
    while next < 90 {
        let found = engine.read(next, 90, 3 << 20).unwrap();
        assert!(!found.is_empty() && found.len() <= 3);
        for found in found {
            assert_eq!(found, record(next, &pattern(next, 1 << 20)));
            next += 1;
        }
    }
    truncate(engine, Some(40));
    assert_eq!(engine.read(40, 90, usize::MAX).unwrap(), [record(40, &pattern(40, 1 << 20))]);
}

fn record(index: u64, payload: &[u8]) -> Record {
    Record { index, payload: Bytes::copy_from_slice(payload) }
}

fn records(indices: std::ops::Range<u64>) -> Vec<Record> {
    indices.map(|index| record(index, format!("record {index}").as_bytes())).collect()
}

/// Bytes that differ from place to place and from record to record.
fn pattern(index: u64, size: usize) -> Vec<u8> {
    (0..size).map(|place| (place.wrapping_mul(31) ^ (place >> 9)).to_le_bytes()[0] ^ index.to_le_bytes()[0]).collect()
}

fn callback() -> (OnDurable, Receiver<Result<(), StorageError>>) {
    let (sender, receiver) = channel();
    (Box::new(move |answer| sender.send(answer).expect("the test waits")), receiver)
}

fn wait(change: impl FnOnce(OnDurable)) -> Result<(), StorageError> {
    let (done, durable) = callback();
    change(done);
    durable.recv_timeout(PATIENCE).expect("the engine answers")
}

fn append(engine: &dyn LogEngine, records: Vec<Record>) {
    wait(|done| engine.append(records, done)).unwrap();
}

fn refused(engine: &dyn LogEngine, records: Vec<Record>) -> StorageError {
    wait(|done| engine.append(records, done)).unwrap_err()
}

fn truncate(engine: &dyn LogEngine, index: Option<u64>) {
    wait(|done| engine.truncate_after(index, done)).unwrap();
}

fn purge(engine: &dyn LogEngine, index: u64) {
    wait(|done| engine.purge_to(index, done)).unwrap();
}
