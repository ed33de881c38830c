//! An append-only file of records, for what a forager must remember.

mod format;
#[cfg(test)]
mod fuzz;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::StorageError;
use crate::disk::{Disk, DiskWriter, folder_of, write_atomically};

/// The largest journal that is opened or rewritten: it is held in memory for that moment.
const MAX_JOURNAL_BYTES: u64 = 1 << 30;

/// A journal open for appending. Its owner holds the [`DataFolderLock`](crate::DataFolderLock) of the folder.
///
/// A record is durable when a [`JournalFile::sync`] after its append has returned. The first failed write or sync ends
/// the journal: everything later fails, and nothing is retried.
pub struct JournalFile {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    file: Box<dyn DiskWriter>,
    length: u64,
    failure: Option<StorageError>,
}

impl JournalFile {
    /// The largest record.
    pub const MAX_RECORD_BYTES: usize = format::MAX_RECORD_BYTES;

    /// Opens the journal, or makes an empty one, and gives its records in the order in which they were appended.
    ///
    /// A last record that is not all there was never synced, and is cut off. Any other fault is
    /// [`StorageError::Damaged`]. The records are durable when this returns, even those that were appended without a
    /// sync and survived because only the process ended.
    pub fn open(disk: Arc<dyn Disk>, path: &Path) -> Result<(Self, Vec<Vec<u8>>), StorageError> {
        let bytes = match disk.read(path) {
            Err(error) if error.is_not_found() => {
                write_atomically(disk.as_ref(), path, &[])?;
                Vec::new()
            }
            read => read?,
        };
        check_size(bytes.len() as u64)?;
        let (records, whole) = format::decode(path, &bytes)?;
        if whole < bytes.len() {
            write_atomically(disk.as_ref(), path, &bytes[..whole])?;
        }
        let mut file = disk.append(path)?;
        file.sync()?;
        disk.sync_folder(folder_of(path))?;
        Ok((Self { disk, path: path.to_owned(), file, length: whole as u64, failure: None }, records))
    }

    /// Adds a record. It is durable after the next [`JournalFile::sync`].
    pub fn append(&mut self, record: &[u8]) -> Result<(), StorageError> {
        let bytes = format::encode(self.length, record)?;
        self.act(|journal| journal.file.write(&bytes))?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Makes everything that was appended durable.
    pub fn sync(&mut self) -> Result<(), StorageError> {
        self.act(|journal| journal.file.sync())
    }

    /// Puts `records` in place of everything that is in the journal, durably: a crash leaves the old records or the new.
    pub fn rewrite(&mut self, records: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Result<(), StorageError> {
        let mut bytes = Vec::new();
        for record in records {
            bytes.extend(format::encode(bytes.len() as u64, record.as_ref())?);
            check_size(bytes.len() as u64)?;
        }
        self.act(|journal| {
            write_atomically(journal.disk.as_ref(), &journal.path, &bytes)?;
            journal.file = journal.disk.append(&journal.path)?;
            Ok(())
        })?;
        self.length = bytes.len() as u64;
        Ok(())
    }

    /// Bytes of the file, from which the owner knows when to [`JournalFile::rewrite`].
    pub fn length(&self) -> u64 {
        self.length
    }

    fn act(&mut self, act: impl FnOnce(&mut Self) -> Result<(), StorageError>) -> Result<(), StorageError> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let answer = act(self);
        if let Err(error) = &answer {
            self.failure = Some(error.clone().ended());
        }
        answer
    }
}

fn check_size(bytes: u64) -> Result<(), StorageError> {
    if bytes > MAX_JOURNAL_BYTES {
        return Err(StorageError::TooLarge { item: "journal", bytes, limit: MAX_JOURNAL_BYTES });
    }
    Ok(())
}

impl std::fmt::Debug for JournalFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JournalFile").field("path", &self.path).field("length", &self.length).finish_non_exhaustive()
    }
}
