//! An append-only file of records, for what a forager must remember.

mod format;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::StorageError;
use crate::disk::{Disk, DiskFile, folder_of, write_atomically};
use crate::journal_file::format::Found;

/// The largest journal that is opened or rewritten: it is held in memory for that moment.
const MAX_JOURNAL_BYTES: u64 = 1 << 30;

/// A journal open for appending. Its owner holds the [`DataFolderLock`](crate::DataFolderLock) of the folder.
///
/// A record is durable when a [`JournalFile::sync`] after its append has returned. The first failed write or sync ends
/// the journal: everything later fails, and nothing is retried.
pub struct JournalFile {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    file: Box<dyn DiskFile>,
    length: u64,
    /// What the mark in the file says.
    marked: u64,
    failure: Option<StorageError>,
}

impl JournalFile {
    /// The largest record.
    pub const MAX_RECORD_BYTES: usize = format::MAX_RECORD_BYTES;

    /// Opens the journal, or makes an empty one, and gives its records in the order in which they were appended.
    ///
    /// What was never synced ends at the first record of it that is not all there, and is cut off. Any other fault is
    /// [`StorageError::Damaged`]. The records are durable when this returns, even those that were appended without a
    /// sync and survived because only the process ended.
    pub fn open(disk: Arc<dyn Disk>, path: &Path) -> Result<(Self, Vec<Vec<u8>>), StorageError> {
        let empty = || format::mark(format::MARK_BYTES as u64).to_vec();
        let bytes = match disk.read(path) {
            Err(error) if error.is_not_found() => {
                write_atomically(disk.as_ref(), path, &empty())?;
                empty()
            }
            read => read?,
        };
        check_size(bytes.len() as u64)?;
        let Found { records, whole, synced } = format::decode(path, &bytes)?;
        if whole < bytes.len() {
            write_atomically(disk.as_ref(), path, &bytes[..whole])?;
        }
        let file = disk.open_file(path)?;
        file.sync()?;
        disk.sync_folder(folder_of(path))?;
        let mut journal =
            Self { disk, path: path.to_owned(), file, length: whole as u64, marked: synced, failure: None };
        journal.mark()?;
        Ok((journal, records))
    }

    /// Adds a record. It is durable after the next [`JournalFile::sync`].
    pub fn append(&mut self, record: &[u8]) -> Result<(), StorageError> {
        let bytes = format::encode(self.length, record)?;
        self.act(|journal| journal.file.write_at(journal.length, &bytes))?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Makes everything that was appended durable.
    pub fn sync(&mut self) -> Result<(), StorageError> {
        self.act(|journal| journal.file.sync())?;
        self.mark()
    }

    /// Puts `records` in place of everything that is in the journal, durably: a crash leaves the old records or the new.
    pub fn rewrite(&mut self, records: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Result<(), StorageError> {
        let mut bytes = format::mark(0).to_vec();
        for record in records {
            bytes.extend(format::encode(bytes.len() as u64, record.as_ref())?);
            check_size(bytes.len() as u64)?;
        }
        let length = bytes.len() as u64;
        bytes[..format::MARK_BYTES].copy_from_slice(&format::mark(length));
        self.act(|journal| {
            write_atomically(journal.disk.as_ref(), &journal.path, &bytes)?;
            journal.file = journal.disk.open_file(&journal.path)?;
            Ok(())
        })?;
        self.length = length;
        self.marked = length;
        Ok(())
    }

    /// Bytes of the file, from which the owner knows when to [`JournalFile::rewrite`].
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Says in the file that it is synced up to its end, so that a missing record is noticed from then on.
    fn mark(&mut self) -> Result<(), StorageError> {
        if self.marked != self.length {
            self.act(|journal| journal.file.write_at(0, &format::mark(journal.length)))?;
            self.marked = self.length;
        }
        Ok(())
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
