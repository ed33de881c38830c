//! Nothing is acknowledged before it is durable, and a failed sync is the end.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};

use super::{Home, PATIENCE, callback, for_each_home, record, records, wait};
use crate::QueuedEngine;
use crate::engine::LogEngine;
use crate::error::StorageError;
use crate::queued_engine::RECENT_BYTES;

for_each_home! {
    nothing_is_acknowledged_before_the_sync_returned,
    changes_that_wait_share_a_sync,
    a_failed_sync_ends_the_engine_for_ever,
    records_that_left_memory_are_read_from_the_disk_while_the_log_changes,
}

fn nothing_is_acknowledged_before_the_sync_returned(home: &impl Home) {
    let (engine, sync) = open_with_controlled_sync(home);
    let (done, answer) = callback();
    engine.append(records(0..3), done);
    sync.begun.recv_timeout(PATIENCE).unwrap();
    assert_eq!(engine.read(0, 3, usize::MAX).unwrap(), records(0..3), "readable before it is durable");
    let (later_done, later) = callback();
    engine.save_vote(b"vote".to_vec(), later_done);
    assert!(answer.try_recv().is_err());
    sync.answer.send(Ok(())).unwrap();
    answer.recv_timeout(PATIENCE).unwrap().unwrap();
    sync.begun.recv_timeout(PATIENCE).unwrap();
    assert!(later.try_recv().is_err(), "another group needs another sync");
    sync.answer.send(Ok(())).unwrap();
    later.recv_timeout(PATIENCE).unwrap().unwrap();
}

fn changes_that_wait_share_a_sync(home: &impl Home) {
    let (engine, sync) = open_with_controlled_sync(home);
    let mut answers = Vec::new();
    let mut append = |index| {
        let (done, answer) = callback();
        engine.append(records(index..index + 1), done);
        answers.push(answer);
    };
    append(0);
    sync.begun.recv_timeout(PATIENCE).unwrap();
    (1..50).for_each(&mut append);
    for _ in 0..2 {
        sync.answer.send(Ok(())).unwrap();
    }
    for answer in answers {
        answer.recv_timeout(PATIENCE).unwrap().unwrap();
    }
    sync.begun.recv_timeout(PATIENCE).unwrap();
    assert!(sync.begun.try_recv().is_err(), "50 appends took two syncs");
}

fn a_failed_sync_ends_the_engine_for_ever(home: &impl Home) {
    let (engine, sync) = open_with_controlled_sync(home);
    let (first_done, first) = callback();
    engine.append(records(0..1), first_done);
    sync.begun.recv_timeout(PATIENCE).unwrap();
    let (behind_done, behind) = callback();
    engine.append(records(1..2), behind_done);
    sync.answer.send(Err(io::Error::from_raw_os_error(5))).unwrap();

    let error = first.recv_timeout(PATIENCE).unwrap().unwrap_err();
    assert!(matches!(&error, StorageError::Io { operation: "syncing", .. }), "{error}");
    assert!(behind.recv_timeout(PATIENCE).unwrap().is_err());
    assert!(matches!(wait(|done| engine.append(records(2..3), done)), Err(StorageError::Failed { .. })));
    assert!(matches!(wait(|done| engine.save_vote(vec![], done)), Err(StorageError::Failed { .. })));
    assert!(matches!(wait(|done| engine.truncate_after(None, done)), Err(StorageError::Failed { .. })));
    assert!(matches!(engine.read(0, 1, 0), Err(StorageError::Failed { .. })));
    assert!(sync.begun.try_recv().is_err(), "nothing is retried");
}

fn records_that_left_memory_are_read_from_the_disk_while_the_log_changes(home: &impl Home) {
    let engine = home.open().unwrap();
    let payload = |index: u64| record(index, &vec![index.to_le_bytes()[0]; 256 << 10]);
    let count = RECENT_BYTES as u64 / (256 << 10) * 2;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for index in 0..count {
                wait(|done| engine.append(vec![payload(index)], done)).unwrap();
                if index % 16 == 15 {
                    wait(|done| engine.purge_to(index / 2, done)).unwrap();
                }
            }
        });
        let mut seen = 0;
        while seen + 1 < count {
            for found in engine.read(engine.bounds().first, u64::MAX, 8 << 20).unwrap() {
                assert_eq!(found, payload(found.index));
            }
            seen = engine.bounds().last.unwrap_or(0);
        }
    });
}

/// A sync that the test sees begin, and answers.
struct ControlledSync {
    begun: Receiver<()>,
    answer: Sender<io::Result<()>>,
}

fn open_with_controlled_sync(home: &impl Home) -> (QueuedEngine, ControlledSync) {
    let (started, begun) = channel();
    let (answer, answers) = channel::<io::Result<()>>();
    let engine = home.open_hooked(move || {
        started.send(()).ok();
        answers.recv().unwrap_or(Ok(()))
    });
    (engine, ControlledSync { begun, answer })
}
