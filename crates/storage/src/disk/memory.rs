//! A file system in memory that loses what was not synced.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Error, ErrorKind};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::StorageError;
use crate::disk::atomic_write::folder_of;
use crate::disk::{Disk, DiskFile, DiskLock, DiskReader, DiskWriter};

/// A [`Disk`] in memory, for tests and simulation. Clones are the same disk.
///
/// It keeps what was written apart from what was synced, for contents and for names alike; folders alone are durable
/// at once.
#[derive(Clone, Default)]
pub struct MemoryDisk(Arc<Mutex<Tree>>);

#[derive(Default)]
struct Tree {
    folders: BTreeSet<PathBuf>,
    names: BTreeMap<PathBuf, FileNo>,
    synced_names: BTreeMap<PathBuf, FileNo>,
    files: Vec<Content>,
    locks: BTreeSet<PathBuf>,
    /// Counts crashes: open files and locks of before are void.
    life: u64,
}

type FileNo = usize;

#[derive(Default)]
struct Content {
    written: Vec<u8>,
    synced: Vec<u8>,
    /// Outside of this, the one has what the other has, as far as both go.
    unsynced: Range<usize>,
}

impl Content {
    fn empty(&mut self) {
        self.written.clear();
        self.unsynced = 0..0;
    }

    fn read_at(&self, offset: usize, buffer: &mut [u8]) -> usize {
        let rest = self.written.get(offset..).unwrap_or(&[]);
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        count
    }

    fn write_at(&mut self, offset: usize, bytes: &[u8]) {
        let (from, end) = (offset.min(self.written.len()), offset + bytes.len());
        if end > self.written.len() {
            self.written.resize(end, 0);
        }
        self.written[offset..end].copy_from_slice(bytes);
        let former = std::mem::take(&mut self.unsynced);
        self.unsynced = if former.is_empty() { from..end } else { former.start.min(from)..former.end.max(end) };
    }

    fn append(&mut self, bytes: &[u8]) {
        self.write_at(self.written.len(), bytes);
    }

    fn sync(&mut self) {
        let changed = std::mem::take(&mut self.unsynced);
        self.synced.resize(self.written.len(), 0);
        self.synced[changed.clone()].copy_from_slice(&self.written[changed]);
    }

    fn crash(&mut self) {
        self.written.clone_from(&self.synced);
        self.unsynced = 0..0;
    }
}

impl MemoryDisk {
    /// An empty disk.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cuts the power: only what was synced is left, and what is open becomes unusable.
    pub fn crash(&self) {
        let mut tree = self.tree();
        tree.life += 1;
        tree.locks.clear();
        tree.names = tree.synced_names.clone();
        for file in &mut tree.files {
            file.crash();
        }
    }

    fn tree(&self) -> MutexGuard<'_, Tree> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn handle(&self, path: &Path, tree: &Tree, file: FileNo) -> MemoryFile {
        MemoryFile { disk: self.clone(), path: path.to_owned(), file, life: tree.life, position: 0 }
    }
}

impl Tree {
    fn find(&self, path: &Path, operation: &'static str) -> Result<FileNo, StorageError> {
        self.names.get(path).copied().ok_or_else(|| missing(path, operation))
    }

    fn find_or_make(&mut self, path: &Path) -> Result<FileNo, StorageError> {
        if let Some(file) = self.names.get(path) {
            return Ok(*file);
        }
        if !self.folders.contains(folder_of(path)) {
            return Err(missing(path, "creating"));
        }
        self.files.push(Content::default());
        self.names.insert(path.to_owned(), self.files.len() - 1);
        Ok(self.files.len() - 1)
    }
}

impl Disk for MemoryDisk {
    fn read(&self, path: &Path) -> Result<Vec<u8>, StorageError> {
        let tree = self.tree();
        let file = tree.find(path, "reading")?;
        Ok(tree.files[file].written.clone())
    }

    fn open(&self, path: &Path) -> Result<Box<dyn DiskReader>, StorageError> {
        let tree = self.tree();
        let file = tree.find(path, "opening")?;
        Ok(Box::new(self.handle(path, &tree, file)))
    }

    fn create(&self, path: &Path) -> Result<Box<dyn DiskWriter>, StorageError> {
        let mut tree = self.tree();
        let file = tree.find_or_make(path)?;
        tree.files[file].empty();
        Ok(Box::new(self.handle(path, &tree, file)))
    }

    fn append(&self, path: &Path) -> Result<Box<dyn DiskWriter>, StorageError> {
        let mut tree = self.tree();
        let file = tree.find_or_make(path)?;
        Ok(Box::new(self.handle(path, &tree, file)))
    }

    fn open_file(&self, path: &Path) -> Result<Box<dyn DiskFile>, StorageError> {
        let mut tree = self.tree();
        let file = tree.find_or_make(path)?;
        Ok(Box::new(self.handle(path, &tree, file)))
    }

    fn exists(&self, path: &Path) -> Result<bool, StorageError> {
        let tree = self.tree();
        Ok(tree.names.contains_key(path) || tree.folders.contains(path))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), StorageError> {
        let mut tree = self.tree();
        let file = tree.names.remove(from).ok_or_else(|| missing(from, "renaming"))?;
        tree.names.insert(to.to_owned(), file);
        Ok(())
    }

    fn remove(&self, path: &Path) -> Result<(), StorageError> {
        self.tree().names.remove(path).map(|_| ()).ok_or_else(|| missing(path, "removing"))
    }

    fn list(&self, folder: &Path) -> Result<Vec<String>, StorageError> {
        let tree = self.tree();
        if !tree.folders.contains(folder) {
            return Err(missing(folder, "listing"));
        }
        let inside = tree.names.keys().chain(&tree.folders).filter(|path| path.parent() == Some(folder));
        let mut names: Vec<_> = inside.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect();
        names.sort();
        Ok(names)
    }

    fn sync_folder(&self, folder: &Path) -> Result<(), StorageError> {
        let mut tree = self.tree();
        if !tree.folders.contains(folder) {
            return Err(missing(folder, "syncing"));
        }
        tree.synced_names.retain(|path, _| folder_of(path) != folder);
        let inside: Vec<_> =
            tree.names.iter().filter(|(path, _)| folder_of(path) == folder).map(|(p, f)| (p.clone(), *f)).collect();
        tree.synced_names.extend(inside);
        Ok(())
    }

    fn create_folders(&self, folder: &Path) -> Result<(), StorageError> {
        self.tree().folders.extend(folder.ancestors().map(Path::to_owned));
        Ok(())
    }

    fn lock(&self, path: &Path) -> Result<Box<dyn DiskLock>, StorageError> {
        let mut tree = self.tree();
        if !tree.locks.insert(path.to_owned()) {
            return Err(StorageError::Locked { path: path.to_owned() });
        }
        Ok(Box::new(MemoryLock { disk: self.clone(), path: path.to_owned(), life: tree.life }))
    }
}

struct MemoryFile {
    disk: MemoryDisk,
    path: PathBuf,
    file: FileNo,
    life: u64,
    position: usize,
}

impl MemoryFile {
    fn with<T>(&self, operation: &'static str, act: impl FnOnce(&mut Content) -> T) -> Result<T, StorageError> {
        let mut tree = self.disk.tree();
        if tree.life != self.life {
            return Err(StorageError::io(&self.path, operation, Error::from(ErrorKind::BrokenPipe)));
        }
        Ok(act(&mut tree.files[self.file]))
    }
}

impl DiskReader for MemoryFile {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, StorageError> {
        let position = self.position;
        let count = self.with("reading", |content| content.read_at(position, buffer))?;
        self.position += count;
        Ok(count)
    }
}

impl DiskWriter for MemoryFile {
    fn write(&mut self, bytes: &[u8]) -> Result<(), StorageError> {
        self.with("writing", |content| content.append(bytes))
    }

    fn sync(&mut self) -> Result<(), StorageError> {
        self.with("syncing", Content::sync)
    }
}

impl DiskFile for MemoryFile {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, StorageError> {
        self.with("reading", |content| content.read_at(place(offset), buffer))
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<(), StorageError> {
        self.with("writing", |content| content.write_at(place(offset), bytes))
    }

    fn sync(&self) -> Result<(), StorageError> {
        self.with("syncing", Content::sync)
    }
}

fn place(offset: u64) -> usize {
    usize::try_from(offset).expect("a file in memory fits into memory")
}

struct MemoryLock {
    disk: MemoryDisk,
    path: PathBuf,
    life: u64,
}

impl DiskLock for MemoryLock {}

impl Drop for MemoryLock {
    fn drop(&mut self) {
        let mut tree = self.disk.tree();
        if tree.life == self.life {
            tree.locks.remove(&self.path);
        }
    }
}

fn missing(path: &Path, operation: &'static str) -> StorageError {
    StorageError::io(path, operation, Error::from(ErrorKind::NotFound))
}

impl std::fmt::Debug for MemoryDisk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MemoryDisk")
    }
}
