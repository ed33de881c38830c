//! A disk that asks a test before it changes or syncs anything.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::StorageError;
use crate::disk::{Disk, DiskFile, DiskLock, DiskReader, DiskWriter};

/// Is asked with the operation, as errors name it, and the path.
type Hook = Arc<Mutex<dyn FnMut(&'static str, &Path) -> io::Result<()> + Send>>;

/// The disk of a log engine that is to fail, or to wait.
#[derive(Clone)]
pub(crate) struct HookedDisk {
    disk: Arc<dyn Disk>,
    hook: Hook,
}

impl HookedDisk {
    pub(crate) fn new(
        disk: Arc<dyn Disk>,
        hook: impl FnMut(&'static str, &Path) -> io::Result<()> + Send + 'static,
    ) -> Self {
        Self { disk, hook: Arc::new(Mutex::new(hook)) }
    }

    fn ask(&self, operation: &'static str, path: &Path) -> Result<(), StorageError> {
        let mut hook = self.hook.lock().unwrap_or_else(PoisonError::into_inner);
        hook(operation, path).map_err(|error| StorageError::io(path, operation, error))
    }
}

impl Disk for HookedDisk {
    fn read(&self, path: &Path) -> Result<Vec<u8>, StorageError> {
        self.disk.read(path)
    }

    fn open(&self, path: &Path) -> Result<Box<dyn DiskReader>, StorageError> {
        self.disk.open(path)
    }

    fn create(&self, path: &Path) -> Result<Box<dyn DiskWriter>, StorageError> {
        self.ask("creating", path)?;
        self.disk.create(path)
    }

    fn append(&self, path: &Path) -> Result<Box<dyn DiskWriter>, StorageError> {
        self.disk.append(path)
    }

    fn open_file(&self, path: &Path) -> Result<Box<dyn DiskFile>, StorageError> {
        Ok(Box::new(HookedFile { disk: self.clone(), path: path.to_owned(), file: self.disk.open_file(path)? }))
    }

    fn exists(&self, path: &Path) -> Result<bool, StorageError> {
        self.disk.exists(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), StorageError> {
        self.disk.rename(from, to)
    }

    fn remove(&self, path: &Path) -> Result<(), StorageError> {
        self.ask("removing", path)?;
        self.disk.remove(path)
    }

    fn list(&self, folder: &Path) -> Result<Vec<String>, StorageError> {
        self.disk.list(folder)
    }

    fn sync_folder(&self, folder: &Path) -> Result<(), StorageError> {
        self.ask("syncing", folder)?;
        self.disk.sync_folder(folder)
    }

    fn create_folders(&self, folder: &Path) -> Result<(), StorageError> {
        self.disk.create_folders(folder)
    }

    fn lock(&self, path: &Path) -> Result<Box<dyn DiskLock>, StorageError> {
        self.disk.lock(path)
    }
}

struct HookedFile {
    disk: HookedDisk,
    path: PathBuf,
    file: Box<dyn DiskFile>,
}

impl DiskFile for HookedFile {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, StorageError> {
        self.file.read_at(offset, buffer)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<(), StorageError> {
        self.disk.ask("writing", &self.path)?;
        self.file.write_at(offset, bytes)
    }

    fn sync(&self) -> Result<(), StorageError> {
        self.disk.ask("syncing", &self.path)?;
        self.file.sync()
    }
}
