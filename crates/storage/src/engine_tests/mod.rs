//! What every engine with a disk promises beyond the trait: survival and honesty about syncs.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use bytes::Bytes;
use tempfile::TempDir;

use crate::disk::{HookedDisk, MemoryDisk, SystemDisk};
use crate::engine::{OnDurable, Record};
use crate::{Disk, QueuedEngine, SegmentEngine, SledEngine, StorageError};

mod honesty;
mod survival;

/// Far longer than any disk takes.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// A place for the log of one kind of engine.
trait Home {
    fn new() -> Self;

    fn open(&self) -> Result<QueuedEngine, StorageError>;

    /// As [`Home::open`], with something to be done before every sync of what was written.
    fn open_hooked(&self, hook: impl FnMut() -> io::Result<()> + Send + 'static) -> QueuedEngine;
}

struct OnSled(TempDir);

struct OnSegments(TempDir);

struct SegmentsInMemory(MemoryDisk);

impl Home for OnSled {
    fn new() -> Self {
        Self(folder())
    }

    fn open(&self) -> Result<QueuedEngine, StorageError> {
        SledEngine::open(self.0.path())
    }

    fn open_hooked(&self, mut hook: impl FnMut() -> io::Result<()> + Send + 'static) -> QueuedEngine {
        SledEngine::open_with(self.0.path(), |mut real| Box::new(move || hook().and_then(|()| real()))).unwrap()
    }
}

impl Home for OnSegments {
    fn new() -> Self {
        Self(folder())
    }

    fn open(&self) -> Result<QueuedEngine, StorageError> {
        SegmentEngine::open(Arc::new(SystemDisk), self.0.path())
    }

    fn open_hooked(&self, hook: impl FnMut() -> io::Result<()> + Send + 'static) -> QueuedEngine {
        SegmentEngine::open(hooked(Arc::new(SystemDisk), hook), self.0.path()).unwrap()
    }
}

impl Home for SegmentsInMemory {
    fn new() -> Self {
        Self(MemoryDisk::new())
    }

    fn open(&self) -> Result<QueuedEngine, StorageError> {
        SegmentEngine::open(Arc::new(self.0.clone()), "/log".as_ref())
    }

    fn open_hooked(&self, hook: impl FnMut() -> io::Result<()> + Send + 'static) -> QueuedEngine {
        SegmentEngine::open(hooked(Arc::new(self.0.clone()), hook), "/log".as_ref()).unwrap()
    }
}

/// A disk whose segments ask before they are synced.
fn hooked(disk: Arc<dyn Disk>, mut hook: impl FnMut() -> io::Result<()> + Send + 'static) -> Arc<dyn Disk> {
    Arc::new(HookedDisk::new(disk, move |operation, path| {
        let is_segment = path.extension().is_some_and(|ending| ending == "segment");
        if operation == "syncing" && is_segment { hook() } else { Ok(()) }
    }))
}

/// Makes every check a test for each kind of engine.
macro_rules! for_each_home {
    ($($check:ident,)+) => {
        for_each_home!(@ sled OnSled $($check)+);
        for_each_home!(@ segments OnSegments $($check)+);
        for_each_home!(@ segments_in_memory SegmentsInMemory $($check)+);
    };
    (@ $module:ident $home:ident $($check:ident)+) => {
        mod $module {
            $(
                #[test]
                fn $check() {
                    super::$check(&<super::super::$home as super::super::Home>::new());
                }
            )+
        }
    };
}

use for_each_home;

pub(crate) fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

pub(crate) fn record(index: u64, payload: &[u8]) -> Record {
    Record { index, payload: Bytes::copy_from_slice(payload) }
}

pub(crate) fn records(indices: std::ops::Range<u64>) -> Vec<Record> {
    indices.map(|index| record(index, format!("record {index}").as_bytes())).collect()
}

pub(crate) fn callback() -> (OnDurable, Receiver<Result<(), StorageError>>) {
    let (sender, receiver) = channel();
    (Box::new(move |answer| drop(sender.send(answer))), receiver)
}

pub(crate) fn wait(change: impl FnOnce(OnDurable)) -> Result<(), StorageError> {
    let (done, durable) = callback();
    change(done);
    durable.recv_timeout(PATIENCE).unwrap()
}
