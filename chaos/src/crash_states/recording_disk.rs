//! A disk in memory that records what is done to it.

use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use antfarm_storage::{Disk, DiskFile, DiskLock, DiskReader, DiskWriter, StorageError};
use bytes::Bytes;

use crate::crash_states::files::{Files, position};
use crate::crash_states::operation::{FileNo, Operation};
use crate::crash_states::recorder::{Recorded, Recorder};

/// A [`Disk`] on the files of a [`Recorder`].
#[derive(Debug, Clone)]
pub(crate) struct RecordingDisk {
    recorder: Recorder,
    locks: Arc<Mutex<Vec<PathBuf>>>,
}

impl RecordingDisk {
    pub(crate) fn new(recorder: Recorder) -> Self {
        Self { recorder, locks: Arc::default() }
    }

    fn handle(&self, path: &Path, file: FileNo) -> RecordedFile {
        RecordedFile { recorder: self.recorder.clone(), path: path.to_owned(), file, position: 0 }
    }
}

fn missing(path: &Path, operation: &'static str) -> StorageError {
    StorageError::Io { path: path.to_owned(), operation, source: Arc::new(Error::from(ErrorKind::NotFound)) }
}

fn find(files: &Files, path: &Path, operation: &'static str) -> Result<FileNo, StorageError> {
    files.names.get(path).copied().ok_or_else(|| missing(path, operation))
}

fn find_or_make(recorded: &mut Recorded, path: &Path) -> Result<FileNo, StorageError> {
    if let Some(file) = recorded.files.names.get(path) {
        return Ok(*file);
    }
    let folder = path.parent().unwrap_or(path);
    if !is_folder(&recorded.files, folder) {
        return Err(missing(path, "creating"));
    }
    let file = recorded.files.next_file();
    recorded.act(Operation::Create { path: path.to_owned(), file });
    Ok(file)
}

fn is_folder(files: &Files, path: &Path) -> bool {
    path == Path::new("/") || files.folders.contains(path)
}

impl Disk for RecordingDisk {
    fn read(&self, path: &Path) -> Result<Vec<u8>, StorageError> {
        let files = &self.recorder.recorded().files;
        let file = find(files, path, "reading")?;
        Ok(files.content(file).to_vec())
    }

    fn open(&self, path: &Path) -> Result<Box<dyn DiskReader>, StorageError> {
        let file = find(&self.recorder.recorded().files, path, "opening")?;
        Ok(Box::new(self.handle(path, file)))
    }

    fn create(&self, path: &Path) -> Result<Box<dyn DiskWriter>, StorageError> {
        let mut recorded = self.recorder.recorded();
        let file = find_or_make(&mut recorded, path)?;
        if !recorded.files.content(file).is_empty() {
            recorded.act(Operation::SetLength { file, length: 0 });
        }
        Ok(Box::new(self.handle(path, file)))
    }

    fn append(&self, path: &Path) -> Result<Box<dyn DiskWriter>, StorageError> {
        let file = find_or_make(&mut self.recorder.recorded(), path)?;
        Ok(Box::new(self.handle(path, file)))
    }

    fn open_file(&self, path: &Path) -> Result<Box<dyn DiskFile>, StorageError> {
        let file = find_or_make(&mut self.recorder.recorded(), path)?;
        Ok(Box::new(self.handle(path, file)))
    }

    fn exists(&self, path: &Path) -> Result<bool, StorageError> {
        let files = &self.recorder.recorded().files;
        Ok(files.names.contains_key(path) || is_folder(files, path))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), StorageError> {
        let mut recorded = self.recorder.recorded();
        find(&recorded.files, from, "renaming")?;
        recorded.act(Operation::Rename { from: from.to_owned(), to: to.to_owned() });
        Ok(())
    }

    fn remove(&self, path: &Path) -> Result<(), StorageError> {
        let mut recorded = self.recorder.recorded();
        find(&recorded.files, path, "removing")?;
        recorded.act(Operation::Remove { path: path.to_owned() });
        Ok(())
    }

    fn list(&self, folder: &Path) -> Result<Vec<String>, StorageError> {
        let files = &self.recorder.recorded().files;
        if !is_folder(files, folder) {
            return Err(missing(folder, "listing"));
        }
        let inside = files.names.keys().chain(&files.folders).filter(|path| path.parent() == Some(folder));
        let mut names: Vec<_> = inside.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect();
        names.sort();
        Ok(names)
    }

    fn sync_folder(&self, folder: &Path) -> Result<(), StorageError> {
        let mut recorded = self.recorder.recorded();
        if !is_folder(&recorded.files, folder) {
            return Err(missing(folder, "syncing"));
        }
        recorded.act(Operation::SyncFolder { path: folder.to_owned() });
        Ok(())
    }

    fn create_folders(&self, folder: &Path) -> Result<(), StorageError> {
        let mut above: Vec<_> = folder.ancestors().collect();
        above.reverse();
        for pair in above.windows(2) {
            let mut recorded = self.recorder.recorded();
            if !is_folder(&recorded.files, pair[1]) {
                recorded.act(Operation::CreateFolder { path: pair[1].to_owned() });
                recorded.act(Operation::SyncFolder { path: pair[0].to_owned() });
            }
        }
        Ok(())
    }

    fn lock(&self, path: &Path) -> Result<Box<dyn DiskLock>, StorageError> {
        let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        if locks.iter().any(|locked| locked == path) {
            return Err(StorageError::Locked { path: path.to_owned() });
        }
        locks.push(path.to_owned());
        Ok(Box::new(RecordedLock { locks: Arc::clone(&self.locks), path: path.to_owned() }))
    }
}

struct RecordedFile {
    recorder: Recorder,
    path: PathBuf,
    file: FileNo,
    position: usize,
}

impl DiskReader for RecordedFile {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, StorageError> {
        let recorded = self.recorder.recorded();
        let rest = recorded.files.content(self.file).get(self.position..).unwrap_or(&[]);
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.position += count;
        Ok(count)
    }
}

impl DiskWriter for RecordedFile {
    fn write(&mut self, bytes: &[u8]) -> Result<(), StorageError> {
        let mut recorded = self.recorder.recorded();
        let offset = recorded.files.content(self.file).len() as u64;
        recorded.act(Operation::Write { file: self.file, offset, bytes: Bytes::copy_from_slice(bytes) });
        Ok(())
    }

    fn sync(&mut self) -> Result<(), StorageError> {
        self.recorder.recorded().act(Operation::SyncFile { file: self.file });
        Ok(())
    }
}

impl DiskFile for RecordedFile {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, StorageError> {
        let recorded = self.recorder.recorded();
        let rest = recorded.files.content(self.file).get(position(offset)..).unwrap_or(&[]);
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<(), StorageError> {
        let bytes = Bytes::copy_from_slice(bytes);
        self.recorder.recorded().act(Operation::Write { file: self.file, offset, bytes });
        Ok(())
    }

    fn sync(&self) -> Result<(), StorageError> {
        self.recorder.recorded().act(Operation::SyncFile { file: self.file });
        Ok(())
    }
}

impl std::fmt::Debug for RecordedFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RecordedFile").field("path", &self.path).finish_non_exhaustive()
    }
}

struct RecordedLock {
    locks: Arc<Mutex<Vec<PathBuf>>>,
    path: PathBuf,
}

impl DiskLock for RecordedLock {}

impl Drop for RecordedLock {
    fn drop(&mut self) {
        self.locks.lock().unwrap_or_else(PoisonError::into_inner).retain(|locked| *locked != self.path);
    }
}
