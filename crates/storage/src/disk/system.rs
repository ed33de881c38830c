//! The operating system's file system.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::StorageError;
use crate::disk::atomic_write::folder_of;
use crate::disk::{Disk, DiskFile, DiskLock, DiskReader, DiskWriter};

/// The [`Disk`] of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemDisk;

impl Disk for SystemDisk {
    fn read(&self, path: &Path) -> Result<Vec<u8>, StorageError> {
        fs::read(path).map_err(|error| StorageError::io(path, "reading", error))
    }

    fn open(&self, path: &Path) -> Result<Box<dyn DiskReader>, StorageError> {
        let file = File::open(path).map_err(|error| StorageError::io(path, "opening", error))?;
        Ok(Box::new(SystemFile { file, path: path.to_owned() }))
    }

    fn create(&self, path: &Path) -> Result<Box<dyn DiskWriter>, StorageError> {
        let file = File::create(path).map_err(|error| StorageError::io(path, "creating", error))?;
        Ok(Box::new(SystemFile { file, path: path.to_owned() }))
    }

    fn append(&self, path: &Path) -> Result<Box<dyn DiskWriter>, StorageError> {
        let file = OpenOptions::new().append(true).create(true).open(path);
        let file = file.map_err(|error| StorageError::io(path, "opening", error))?;
        Ok(Box::new(SystemFile { file, path: path.to_owned() }))
    }

    fn open_file(&self, path: &Path) -> Result<Box<dyn DiskFile>, StorageError> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let file = file.map_err(|error| StorageError::io(path, "opening", error))?;
        Ok(Box::new(SystemFile { file, path: path.to_owned() }))
    }

    fn exists(&self, path: &Path) -> Result<bool, StorageError> {
        path.try_exists().map_err(|error| StorageError::io(path, "looking for", error))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), StorageError> {
        fs::rename(from, to).map_err(|error| StorageError::io(from, "renaming", error))
    }

    fn remove(&self, path: &Path) -> Result<(), StorageError> {
        fs::remove_file(path).map_err(|error| StorageError::io(path, "removing", error))
    }

    fn list(&self, folder: &Path) -> Result<Vec<String>, StorageError> {
        let failed = |error| StorageError::io(folder, "listing", error);
        let mut names = Vec::new();
        for entry in fs::read_dir(folder).map_err(failed)? {
            names.extend(entry.map_err(failed)?.file_name().into_string().ok());
        }
        names.sort();
        Ok(names)
    }

    fn sync_folder(&self, folder: &Path) -> Result<(), StorageError> {
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(|error| StorageError::io(folder, "syncing", error))
    }

    fn create_folders(&self, folder: &Path) -> Result<(), StorageError> {
        if folder.is_dir() {
            return Ok(());
        }
        let above = folder_of(folder);
        if above != folder {
            self.create_folders(above)?;
        }
        match fs::create_dir(folder) {
            Ok(()) => self.sync_folder(above),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
            Err(error) => Err(StorageError::io(folder, "creating", error)),
        }
    }

    fn lock(&self, path: &Path) -> Result<Box<dyn DiskLock>, StorageError> {
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path);
        let file = file.map_err(|error| StorageError::io(path, "opening", error))?;
        match file.try_lock() {
            Ok(()) => Ok(Box::new(SystemLock { _file: file })),
            Err(TryLockError::WouldBlock) => Err(StorageError::Locked { path: path.to_owned() }),
            Err(TryLockError::Error(error)) => Err(StorageError::io(path, "locking", error)),
        }
    }
}

struct SystemFile {
    file: File,
    path: PathBuf,
}

impl DiskReader for SystemFile {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, StorageError> {
        loop {
            match self.file.read(buffer) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                answer => return answer.map_err(|error| StorageError::io(&self.path, "reading", error)),
            }
        }
    }
}

impl DiskWriter for SystemFile {
    fn write(&mut self, bytes: &[u8]) -> Result<(), StorageError> {
        self.file.write_all(bytes).map_err(|error| StorageError::io(&self.path, "writing", error))
    }

    fn sync(&mut self) -> Result<(), StorageError> {
        self.file.sync_data().map_err(|error| StorageError::io(&self.path, "syncing", error))
    }
}

impl DiskFile for SystemFile {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, StorageError> {
        loop {
            match self.file.read_at(buffer, offset) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                answer => return answer.map_err(|error| StorageError::io(&self.path, "reading", error)),
            }
        }
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<(), StorageError> {
        self.file.write_all_at(bytes, offset).map_err(|error| StorageError::io(&self.path, "writing", error))
    }

    fn sync(&self) -> Result<(), StorageError> {
        self.file.sync_data().map_err(|error| StorageError::io(&self.path, "syncing", error))
    }
}

struct SystemLock {
    _file: File,
}

impl DiskLock for SystemLock {}
