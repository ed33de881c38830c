//! What a forager remembers of its attempts, across the end of its process.

mod record;
mod remembered;

use std::path::Path;
use std::sync::Arc;

use antfarm_storage::{Disk, JournalFile, StorageError};

use record::MAX_ENDS;
pub(crate) use record::Record;
#[cfg(test)]
pub(crate) use record::{decode, encode};
pub(crate) use remembered::{Open, Registered, Remembered};

use crate::error::StartError;
use crate::report::Report;

/// A journal grows at least to this before it is rewritten, in bytes.
const COMPACT_AFTER_BYTES: u64 = 16 << 20;

/// Records that wait for the end of a turn are written earlier when they are more than this, in bytes.
const BUFFER_BYTES: usize = 1 << 20;

/// The journal. Records are noted during a turn and written at its end, all of them together.
pub(crate) struct Journal {
    file: JournalFile,
    /// Ends that are not in the buffer yet, so that neighbours become one record; and how many the batch tells of in all.
    ends: Vec<Report>,
    batch_ends: usize,
    buffer: Vec<u8>,
    must_sync: bool,
    unsynced: bool,
    live_bytes: u64,
}

impl Journal {
    /// Opens the journal, and says what it knows.
    pub(crate) fn open(disk: Arc<dyn Disk>, path: &Path) -> Result<(Self, Remembered), StartError> {
        let (file, batches) = JournalFile::open(disk, path)?;
        let mut remembered = Remembered::default();
        for batch in &batches {
            for record in record::decode(batch).ok_or(StartError::JournalVersion)? {
                remembered.take(record).ok_or(StartError::JournalVersion)?;
            }
        }
        let live_bytes = file.length();
        let (ends, buffer) = (Vec::new(), Vec::new());
        Ok((Self { file, ends, batch_ends: 0, buffer, must_sync: false, unsynced: false, live_bytes }, remembered))
    }

    /// Notes a record. It is written with the turn, and survives the end of the process from then on.
    pub(crate) fn note(&mut self, record: &Record) -> Result<(), StorageError> {
        self.gather_ends();
        record::encode(record, &mut self.buffer);
        if self.buffer.len() > BUFFER_BYTES { self.write() } else { Ok(()) }
    }

    /// Notes a record that must survive a power cut, too, before anything follows from it.
    pub(crate) fn note_durably(&mut self, record: &Record) -> Result<(), StorageError> {
        self.must_sync = true;
        self.note(record)
    }

    /// Notes the end of an attempt, as [`Journal::note`] does.
    pub(crate) fn note_end(&mut self, report: Report) -> Result<(), StorageError> {
        self.ends.push(report);
        self.batch_ends += 1;
        if self.batch_ends >= MAX_ENDS { self.write() } else { Ok(()) }
    }

    /// Notes the end of an attempt, as [`Journal::note_durably`] does.
    pub(crate) fn note_end_durably(&mut self, report: Report) -> Result<(), StorageError> {
        self.must_sync = true;
        self.note_end(report)
    }

    /// Ends the turn: when this returns, everything noted survives what it must.
    pub(crate) fn commit(&mut self) -> Result<(), StorageError> {
        self.write()?;
        if std::mem::take(&mut self.must_sync) && std::mem::take(&mut self.unsynced) {
            self.file.sync()?;
        }
        Ok(())
    }

    /// Whether most of the journal is about attempts that are forgotten.
    pub(crate) fn wants_compaction(&self) -> bool {
        self.file.length() > COMPACT_AFTER_BYTES.max(2 * self.live_bytes)
    }

    /// Puts these records in place of all others, durably.
    pub(crate) fn compact(&mut self, records: impl Iterator<Item = Record>) -> Result<(), StorageError> {
        let mut batches = Vec::new();
        let mut batch = Vec::new();
        for record in records {
            record::encode(&record, &mut batch);
            if batch.len() > BUFFER_BYTES {
                batches.push(std::mem::take(&mut batch));
            }
        }
        batches.push(batch);
        batches.retain(|batch| !batch.is_empty());
        self.file.rewrite(batches)?;
        self.live_bytes = self.file.length();
        self.unsynced = false;
        Ok(())
    }

    fn gather_ends(&mut self) {
        if !self.ends.is_empty() {
            record::encode(&Record::Ended(std::mem::take(&mut self.ends)), &mut self.buffer);
        }
    }

    fn write(&mut self) -> Result<(), StorageError> {
        self.gather_ends();
        self.batch_ends = 0;
        if self.buffer.is_empty() {
            return Ok(());
        }
        self.file.append(&self.buffer)?;
        self.unsynced = true;
        self.buffer.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
