//! The snapshots of a queen: small ones, one of several chunks, one that is given up, and processes that end.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use antfarm_storage::{Disk, SnapshotFiles, StorageError};

use crate::crash_states::contents::Contents;
use crate::crash_states::damage::DamageClass;
use crate::crash_states::subject::{FOLDER, Notes, Refusal, Subject};
use crate::crash_states::subjects::payload;

/// The snapshot files. That one is gone is noticed by the log, which is purged up to it.
pub(crate) const SNAPSHOTS: Subject = Subject {
    name: "snapshots",
    work,
    open,
    notices: &[DamageClass::BitOfContent, DamageClass::BitOfFrame, DamageClass::CutShort],
};

/// Index and size of each snapshot; the same index twice replaces the first.
const SAVED: [(u64, usize); 5] = [(3, 100), (9, 0), (9, 5000), (20, (256 << 10) + 3000), (31, 700)];

fn folder() -> PathBuf {
    Path::new(FOLDER).join("snapshots")
}

fn work(notes: &Notes<'_>) -> Result<Vec<Contents>, StorageError> {
    let mut history = vec![Contents::new()];
    let mut files = SnapshotFiles::open(Arc::clone(&notes.disk), &folder())?;
    for (step, (index, size)) in (1..).zip(SAVED) {
        if step == 3 {
            let mut given_up = files.begin(index, b"given up")?;
            given_up.write(&payload(99, 2000))?;
        }
        if step == 4 {
            files = SnapshotFiles::open(Arc::clone(&notes.disk), &folder())?;
        }
        let (meta, content) = (format!("meta {step}").into_bytes(), payload(step, size));
        history.push(contents(index, meta.clone(), content.clone()));
        notes.began(step);
        files.save(index, &meta, content.chunks(1000))?;
        notes.acknowledged(step);
    }
    Ok(history)
}

fn open(disk: &Arc<dyn Disk>) -> Result<Contents, Refusal> {
    let files = SnapshotFiles::open(Arc::clone(disk), &folder())?;
    let Some(latest) = files.latest()? else { return Ok(Contents::new()) };
    let mut reader = files.load(&latest)?;
    let content = reader.read_to_end()?;
    Ok(contents(latest.index, reader.meta().to_vec(), content))
}

fn contents(index: u64, meta: Vec<u8>, content: Vec<u8>) -> Contents {
    let index = index.to_string().into_bytes();
    Contents::from([("index".to_owned(), index), ("meta".to_owned(), meta), ("content".to_owned(), content)])
}
