//! The disk of a simulated machine, which can fail, be full, and lose what was not synced.

use std::collections::BTreeMap;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use antfarm_storage::{Disk, DiskFile, DiskLock, DiskReader, DiskWriter, MemoryDisk, StorageError};

use super::diary::Diary;
use super::sink::{LEDGER, Sink};
use crate::random::Random;

/// The folder of a queen's snapshots.
pub(super) const SNAPSHOTS: &str = "snapshots";

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
#[derive(Clone)]
pub(super) struct SimulatedDisk {
    files: MemoryDisk,
    unsynced: Unsynced,
    health: Health,
    sink: Sink,
    diary: Diary,
    machine: String,
}

/// What was written at the ends of files and not synced.
type Unsynced = Arc<Mutex<BTreeMap<PathBuf, Vec<u8>>>>;

impl SimulatedDisk {
    pub(super) fn new(health: Health, sink: Sink, diary: Diary, machine: &str) -> Self {
        let (files, unsynced) = (MemoryDisk::new(), Unsynced::default());
        Self { files, unsynced, health, sink, diary, machine: machine.to_owned() }
    }

    /// Cuts the power: what was not synced is lost.
    pub(super) fn cut_power(&self) {
        self.files.crash();
        self.unsynced().clear();
    }

    /// The same, but what was being written at the end of a file is there in part; how many files that is about.
    pub(super) fn cut_power_in_a_write(&self, random: &mut Random) -> usize {
        self.files.crash();
        let unsynced = std::mem::take(&mut *self.unsynced());
        let mut torn = 0;
        for (path, bytes) in unsynced.iter().filter(|(_, bytes)| !bytes.is_empty()) {
            let part = usize::try_from(random.below(bytes.len() as u64)).unwrap_or(0);
            if part > 0 && self.files.exists(path).unwrap_or(false) {
                let kept = self.files.append(path).and_then(|mut file| {
                    file.write(&bytes[..part])?;
                    file.sync()
                });
                torn += usize::from(kept.is_ok());
            }
        }
        torn
    }

    /// The last index in the newest snapshot in a folder, 0 without one: it stands in its name.
    pub(super) fn newest_snapshot(&self, folder: &Path) -> u64 {
        let names = self.files.list(folder).unwrap_or_default();
        let index = |name: &String| name.strip_prefix("snapshot-")?.strip_suffix(".snap")?.parse().ok();
        names.iter().filter_map(index).max().unwrap_or(0)
    }

    fn unsynced(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Vec<u8>>> {
        self.unsynced.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn writer(&self, path: &Path, inner: Box<dyn DiskWriter>, at_end: bool) -> Box<dyn DiskWriter> {
        let unsynced = at_end.then(|| self.unsynced.clone());
        Box::new(Writer { inner, unsynced, health: self.health.clone(), path: path.to_owned() })
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
        self.unsynced().remove(path);
        Ok(self.writer(path, self.files.create(path)?, false))
    }

    fn append(&self, path: &Path) -> Result<Box<dyn DiskWriter>, StorageError> {
        if path == Path::new(LEDGER) {
            return Ok(self.sink.writer(&self.machine));
        }
        self.health.check(path, "opening")?;
        Ok(self.writer(path, self.files.append(path)?, true))
    }

    fn open_file(&self, path: &Path) -> Result<Box<dyn DiskFile>, StorageError> {
        self.health.check(path, "opening")?;
        let (inner, health) = (self.files.open_file(path)?, self.health.clone());
        Ok(Box::new(File { inner, health, path: path.to_owned() }))
    }

    fn exists(&self, path: &Path) -> Result<bool, StorageError> {
        self.files.exists(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), StorageError> {
        self.health.check(from, "renaming")?;
        if to.parent().is_some_and(|folder| folder.ends_with(SNAPSHOTS)) {
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
        self.files.sync_folder(folder)?;
        if folder.ends_with(SNAPSHOTS) {
            self.diary.has_snapshot(self.newest_snapshot(folder));
        }
        Ok(())
    }

    fn create_folders(&self, folder: &Path) -> Result<(), StorageError> {
        self.files.create_folders(folder)
    }

    fn lock(&self, path: &Path) -> Result<Box<dyn DiskLock>, StorageError> {
        if path == Path::new(LEDGER) { self.sink.lock() } else { self.files.lock(path) }
    }
}

struct File {
    inner: Box<dyn DiskFile>,
    health: Health,
    path: PathBuf,
}

impl DiskFile for File {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, StorageError> {
        self.inner.read_at(offset, buffer)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<(), StorageError> {
        self.health.check(&self.path, "writing")?;
        self.inner.write_at(offset, bytes)
    }

    fn sync(&self) -> Result<(), StorageError> {
        self.health.check(&self.path, "syncing")?;
        self.inner.sync()
    }
}

struct Writer {
    inner: Box<dyn DiskWriter>,
    /// Of a file that is written at its end.
    unsynced: Option<Unsynced>,
    health: Health,
    path: PathBuf,
}

impl Writer {
    fn note(&self, note: impl FnOnce(&mut Vec<u8>)) {
        if let Some(unsynced) = &self.unsynced {
            let mut unsynced = unsynced.lock().unwrap_or_else(PoisonError::into_inner);
            note(unsynced.entry(self.path.clone()).or_default());
        }
    }
}

impl DiskWriter for Writer {
    fn write(&mut self, bytes: &[u8]) -> Result<(), StorageError> {
        self.health.check(&self.path, "writing")?;
        self.note(|unsynced| unsynced.extend_from_slice(bytes));
        self.inner.write(bytes)
    }

    fn sync(&mut self) -> Result<(), StorageError> {
        self.health.check(&self.path, "syncing")?;
        self.note(Vec::clear);
        self.inner.sync()
    }
}
