//! The first operation of the disk that fails ends the engine, and what was acknowledged before is there afterwards.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{FOLDER, append, contents, open, open_on, segments, write};
use crate::disk::{Disk, HookedDisk, MemoryDisk};
use crate::engine::LogEngine;
use crate::error::StorageError;

/// A disk on which operation number `at` fails with `errno`, and counts how many came.
fn failing(disk: &MemoryDisk, at: usize, errno: i32) -> (Arc<HookedDisk>, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let disk = HookedDisk::new(Arc::new(disk.clone()), move |_, _| {
        let number = counted.fetch_add(1, Ordering::Relaxed);
        if number == at { Err(io::Error::from_raw_os_error(errno)) } else { Ok(()) }
    });
    (Arc::new(disk), count)
}

/// Appends, votes and purges over several segments, until something fails; says what was acknowledged.
fn work(disk: Arc<dyn Disk>) -> (Option<u64>, Option<StorageError>) {
    let mut acknowledged = None;
    let work = |acknowledged: &mut Option<u64>| {
        let engine = open_on(disk)?;
        for step in 0..12_u64 {
            let next = engine.bounds().next();
            append(&engine, next..next + 3).inspect_err(|_| ended(&engine))?;
            *acknowledged = Some(next + 2);
            write(&engine, |engine, done| engine.save_vote(step.to_le_bytes().to_vec(), done))?;
            write(&engine, |engine, done| engine.purge_to(next.saturating_sub(6), done))?;
        }
        Ok(())
    };
    let error = work(&mut acknowledged).err();
    (acknowledged, error)
}

/// An engine that has failed does nothing more.
fn ended(engine: &crate::QueuedEngine) {
    for _ in 0..2 {
        assert!(matches!(append(engine, 0..1), Err(StorageError::Failed { .. })));
        let vote = write(engine, |engine, done| engine.save_vote(vec![], done));
        assert!(matches!(vote, Err(StorageError::Failed { .. })));
        assert!(matches!(engine.read(0, 1, 0), Err(StorageError::Failed { .. })));
    }
}

#[test]
fn whichever_operation_fails_nothing_that_was_acknowledged_is_lost() {
    const EIO: i32 = 5;
    const ENOSPC: i32 = 28;
    let whole = MemoryDisk::new();
    let (disk, count) = failing(&whole, usize::MAX, 0);
    assert!(work(disk).1.is_none());
    assert!(segments(&whole).len() > 1, "the work fills several segments");
    let operations = count.load(Ordering::Relaxed);
    assert!(operations > 100, "{operations}");
    for at in 0..operations {
        for (errno, power_cut) in [(EIO, false), (EIO, true), (ENOSPC, false), (ENOSPC, true)] {
            let disk = MemoryDisk::new();
            let (failing, count) = failing(&disk, at, errno);
            let (acknowledged, error) = work(failing);
            if let Some(error) = error {
                assert!(error.to_string().contains("failed"), "{error}");
            }
            assert!(count.load(Ordering::Relaxed) <= operations, "nothing is retried");
            if power_cut {
                disk.crash();
            }
            let engine = open(&disk).unwrap_or_else(|error| panic!("operation {at}: {error}"));
            let found = contents(&engine);
            assert!(found.bounds.last >= acknowledged, "operation {at}: {acknowledged:?}, {:?}", found.bounds);
            let next = found.bounds.next();
            append(&engine, next..next + 1).unwrap();
        }
    }
}

#[test]
fn a_full_disk_says_which_file_could_not_be_written() {
    let memory = MemoryDisk::new();
    drop(open(&memory).unwrap());
    let disk = HookedDisk::new(Arc::new(memory.clone()), |operation, path| {
        let is_note = path.ends_with("acknowledged");
        if operation == "writing" && !is_note { Err(io::Error::from_raw_os_error(28)) } else { Ok(()) }
    });
    let engine = open_on(Arc::new(disk)).unwrap();
    let error = append(&engine, 0..1).unwrap_err();
    let path = Path::new(FOLDER).join("00000000000000000000.segment");
    assert!(error.to_string().starts_with(&format!("writing {} failed", path.display())), "{error}");
    ended(&engine);
}
