//! The ledger of a simulation: what tools did, on a disk that no fault touches, by the true time.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use antfarm_storage::{Disk, DiskLock, DiskWriter, MemoryDisk, StorageError};

use super::clock::Time;
use crate::history::Line;

/// Where tools find it, on every machine.
pub(super) const LEDGER: &str = "/ledger";

/// The ledger. Clones are the same.
#[derive(Debug, Clone)]
pub(super) struct Sink {
    time: Time,
    text: Arc<Mutex<Vec<u8>>>,
    /// For its lock alone.
    lock: MemoryDisk,
}

impl Sink {
    pub(super) fn new(time: Time) -> Self {
        Self { time, text: Arc::default(), lock: MemoryDisk::new() }
    }

    /// Adds a line, with the true time in the place of what its writer takes for it.
    pub(super) fn write(&self, line: Line) {
        let line = Line { at: self.time.wall_ms(), ..line };
        let mut text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        serde_json::to_writer(&mut *text, &line).expect("a line is plain JSON");
        text.push(b'\n');
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        self.text.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn lines(&self) -> Vec<Line> {
        let text = self.bytes();
        let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines.map(|line| serde_json::from_slice(line).expect("only lines are written")).collect()
    }

    /// For the tools of a forager on that machine, whatever name the forager goes by.
    pub(super) fn writer(&self, machine: &str) -> Box<dyn DiskWriter> {
        Box::new(Writer { sink: self.clone(), machine: machine.to_owned() })
    }

    pub(super) fn lock(&self) -> Result<Box<dyn DiskLock>, StorageError> {
        self.lock.lock(Path::new(LEDGER))
    }
}

struct Writer {
    sink: Sink,
    machine: String,
}

impl DiskWriter for Writer {
    fn write(&mut self, bytes: &[u8]) -> Result<(), StorageError> {
        let line: Line = serde_json::from_slice(bytes).expect("tools write one line at a time");
        self.sink.write(Line { forager: self.machine.clone(), ..line });
        Ok(())
    }

    fn sync(&mut self) -> Result<(), StorageError> {
        Ok(())
    }
}
