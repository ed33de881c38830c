//! A small file that is written whole, as a forager's first epoch and a log's note of what it acknowledged are.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use antfarm_storage::{Disk, StorageError, write_atomically};

use crate::crash_states::contents::Contents;
use crate::crash_states::subject::{FOLDER, Notes, Refusal, Subject};

/// How often it is written.
const WRITES: usize = 4;

/// A small file. What is in it has a checksum of its owner's.
pub(crate) const SMALL_FILE: Subject = Subject { name: "small file", work, open, notices: &[] };

fn path() -> PathBuf {
    Path::new(FOLDER).join("small")
}

fn work(notes: &Notes<'_>) -> Result<Vec<Contents>, StorageError> {
    let mut history = vec![Contents::new()];
    for step in 1..=WRITES {
        let content = vec![u8::try_from(step).unwrap_or(u8::MAX); 5 + step * 700];
        history.push(Contents::from([("content".to_owned(), content.clone())]));
        notes.began(step);
        write_atomically(notes.disk.as_ref(), &path(), &content)?;
        notes.acknowledged(step);
    }
    Ok(history)
}

fn open(disk: &Arc<dyn Disk>) -> Result<Contents, Refusal> {
    match disk.read(&path()) {
        Ok(content) => Ok(Contents::from([("content".to_owned(), content)])),
        Err(error) if error.is_not_found() => Ok(Contents::new()),
        Err(error) => Err(error.into()),
    }
}
