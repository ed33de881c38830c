//! The disk of a simulated machine, which can fail, be full, and lose what was not synced.

use std::io::{Error, ErrorKind};
use std::path::Path;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use antfarm_storage::{Disk, DiskLock, DiskReader, DiskWriter, MemoryDisk, StorageError};

use super::sink::{LEDGER, Sink};

/// What is wrong with a disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Illness {
    None,
    /// Writes and syncs fail.
    Error,
    /// Writes fail for want of room.
    Full,
}

/// The health of a machine's disk, shared by everything that writes there. Clones are the same.
#[derive(Debug, Clone, Default)]
pub(super) struct Health(Arc<State>);

#[derive(Debug, Default)]
struct State {
    illness: AtomicU8,
    /// Nothing is synced.
    stalled: Mutex<u32>,
    /// Operations that failed.
    failed: AtomicU64,
    /// Snapshots that were put in place.
    snapshots: AtomicU64,
}

impl Health {
    pub(super) fn set(&self, illness: Illness) {
        self.0.illness.store(illness as u8, Ordering::Relaxed);
    }

    pub(super) fn illness(&self) -> Illness {
        match self.0.illness.load(Ordering::Relaxed) {
            1 => Illness::Error,
            2 => Illness::Full,
            _ => Illness::None,
        }
    }

    pub(super) fn stall(&self, stalled: bool) {
        let mut stalls = self.0.stalled.lock().unwrap_or_else(PoisonError::into_inner);
        *stalls = if stalled { *stalls + 1 } else { stalls.saturating_sub(1) };
    }

    pub(super) fn is_stalled(&self) -> bool {
        *self.0.stalled.lock().unwrap_or_else(PoisonError::into_inner) > 0
    }

    /// How many operations failed so far.
    pub(super) fn failed(&self) -> u64 {
        self.0.failed.load(Ordering::Relaxed)
    }

    /// How many snapshots were put in place so far.
    pub(super) fn snapshots(&self) -> u64 {
        self.0.snapshots.load(Ordering::Relaxed)
    }

    /// The failure of an operation, if it is to fail.
    pub(super) fn check(&self, path: &Path, operation: &'static str) -> Result<(), StorageError> {
        let kind = match self.illness() {
            Illness::None => return Ok(()),
            Illness::Error => ErrorKind::Other,
            Illness::Full => ErrorKind::StorageFull,
        };
        self.0.failed.fetch_add(1, Ordering::Relaxed);
        Err(StorageError::Io { path: path.to_owned(), operation, source: Arc::new(Error::from(kind)) })
    }
}

/// A machine's disk. The ledger alone is elsewhere, where no fault reaches it.
#[derive(Debug, Clone)]
pub(super) struct SimulatedDisk {
    files: MemoryDisk,
    health: Health,
    sink: Sink,
    machine: String,
}

impl SimulatedDisk {
    pub(super) fn new(health: Health, sink: Sink, machine: &str) -> Self {
        Self { files: MemoryDisk::new(), health, sink, machine: machine.to_owned() }
    }

    /// Cuts the power: what was not synced is lost.
    pub(super) fn cut_power(&self) {
        self.files.crash();
    }

    fn writer(&self, path: &Path, inner: Box<dyn DiskWriter>) -> Box<dyn DiskWriter> {
        Box::new(Writer { inner, health: self.health.clone(), path: path.to_owned() })
    }
}

impl Disk for SimulatedDisk {
    fn read(&self, path: &Path) -> Result<Vec<u8>, StorageError> {
        if path == Path::new(LEDGER) { Ok(self.sink.bytes()) } else { self.files.read(path) }
    }

    fn open(&self, path: &Path) -> Result<Box<dyn DiskReader>, StorageError> {
        self.files.open(path)
    }

    fn create(&self, path: &Path) -> Result<Box<dyn DiskWriter>, StorageError> {
        self.health.check(path, "creating")?;
        Ok(self.writer(path, self.files.create(path)?))
    }

    fn append(&self, path: &Path) -> Result<Box<dyn DiskWriter>, StorageError> {
        if path == Path::new(LEDGER) {
            return Ok(self.sink.writer(&self.machine));
        }
        self.health.check(path, "opening")?;
        Ok(self.writer(path, self.files.append(path)?))
    }

    fn exists(&self, path: &Path) -> Result<bool, StorageError> {
        self.files.exists(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), StorageError> {
        self.health.check(from, "renaming")?;
        if to.parent().is_some_and(|folder| folder.ends_with("snapshots")) {
            self.health.0.snapshots.fetch_add(1, Ordering::Relaxed);
        }
        self.files.rename(from, to)
    }

    fn remove(&self, path: &Path) -> Result<(), StorageError> {
        self.files.remove(path)
    }

    fn list(&self, folder: &Path) -> Result<Vec<String>, StorageError> {
        self.files.list(folder)
    }

    fn sync_folder(&self, folder: &Path) -> Result<(), StorageError> {
        self.health.check(folder, "syncing")?;
        self.files.sync_folder(folder)
    }

    fn create_folders(&self, folder: &Path) -> Result<(), StorageError> {
        self.files.create_folders(folder)
    }

    fn lock(&self, path: &Path) -> Result<Box<dyn DiskLock>, StorageError> {
        if path == Path::new(LEDGER) { self.sink.lock() } else { self.files.lock(path) }
    }
}

struct Writer {
    inner: Box<dyn DiskWriter>,
    health: Health,
    path: std::path::PathBuf,
}

impl DiskWriter for Writer {
    fn write(&mut self, bytes: &[u8]) -> Result<(), StorageError> {
        self.health.check(&self.path, "writing")?;
        self.inner.write(bytes)
    }

    fn sync(&mut self) -> Result<(), StorageError> {
        self.health.check(&self.path, "syncing")?;
        self.inner.sync()
    }
}
