//! The journal of a forager: appends, syncs, a rewrite, and processes that end.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use antfarm_storage::{Disk, JournalFile, StorageError};

use crate::crash_states::contents::Contents;
use crate::crash_states::damage::DamageClass;
use crate::crash_states::subject::{FOLDER, Notes, Refusal, Subject};
use crate::crash_states::subjects::payload;

/// The journal file. A forager notices that it is gone by its epoch file.
pub(crate) const JOURNAL: Subject = Subject {
    name: "journal",
    work,
    open,
    notices: &[DamageClass::BitOfContent, DamageClass::BitOfFrame, DamageClass::CutShort],
};

/// Sizes of the records: within a sector, over the end of one, over the end of a page, and over several pages.
const SIZES: [usize; 12] = [20, 0, 90, 400, 3, 3900, 60, 9000, 17, 600, 5, 300];

/// After so many records the journal is rewritten.
const REWRITTEN_AFTER: usize = 8;

/// After so many records another process goes on.
const REOPENED_AFTER: [usize; 2] = [4, 10];

pub(crate) fn path() -> PathBuf {
    Path::new(FOLDER).join("journal")
}

fn work(notes: &Notes<'_>) -> Result<Vec<Contents>, StorageError> {
    let mut records: Vec<Vec<u8>> = Vec::new();
    let mut history = vec![contents(&records)];
    let (mut journal, _) = JournalFile::open(Arc::clone(&notes.disk), &path())?;
    for (number, size) in (1..).zip(SIZES) {
        let record = payload(number, size);
        records.push(record.clone());
        history.push(contents(&records));
        notes.began(history.len() - 1);
        journal.append(&record)?;
        // Every third record goes without a sync, as those of pure attempts do.
        if number % 3 != 0 {
            journal.sync()?;
            notes.acknowledged(history.len() - 1);
        }
        if number == REWRITTEN_AFTER {
            records.drain(..5);
            records.push(b"a summary".to_vec());
            history.push(contents(&records));
            notes.began(history.len() - 1);
            journal.rewrite(&records)?;
            notes.acknowledged(history.len() - 1);
        }
        if REOPENED_AFTER.contains(&number) {
            drop(journal);
            (journal, _) = JournalFile::open(Arc::clone(&notes.disk), &path())?;
            notes.acknowledged(history.len() - 1);
        }
    }
    journal.sync()?;
    notes.acknowledged(history.len() - 1);
    Ok(history)
}

fn open(disk: &Arc<dyn Disk>) -> Result<Contents, Refusal> {
    let (_, records) = JournalFile::open(Arc::clone(disk), &path())?;
    Ok(contents(&records))
}

fn contents(records: &[Vec<u8>]) -> Contents {
    records.iter().enumerate().map(|(number, record)| (format!("record {number:04}"), record.clone())).collect()
}
