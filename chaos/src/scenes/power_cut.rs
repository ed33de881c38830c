//! S9: the power fails after a snapshot was promised, behind which the log is purged. It is there, whole.

use std::path::Path;
use std::sync::Arc;

use antfarm_storage::{MemoryDisk, SnapshotFiles, StorageError};

use crate::checkers::Violation;
use crate::random::Random;

const FOLDER: &str = "/queen/snapshots";

/// Snapshots before the power fails.
const SNAPSHOTS: u64 = 3;

/// Each has at most so many bytes, some chunks of a file.
const MOST_BYTES: u64 = 1 << 20;

pub(super) fn play(seed: u64) -> Result<(), Violation> {
    let mut random = Random::new(seed);
    let disk = MemoryDisk::new();
    let mut promised = None;
    let files = SnapshotFiles::open(Arc::new(disk.clone()), Path::new(FOLDER)).expect("memory takes everything");
    for index in 1..=SNAPSHOTS {
        let length = usize::try_from(1 + random.below(MOST_BYTES)).unwrap_or(1);
        let content = vec![random.next().to_le_bytes()[0]; length];
        files.save(index, b"head", [&content]).expect("memory takes everything");
        promised = Some((index, content));
    }
    disk.crash();
    let found = newest(&disk);
    if !matches!(&found, Ok(found) if *found == promised) {
        let found = found.map(|found| found.map(|(index, content)| (index, content.len())));
        let what = format!("a snapshot at index {SNAPSHOTS} was promised, and after a power cut there is {found:?}");
        return Err(Violation::new("S9 what is promised survives", what));
    }
    Ok(())
}

/// Index and content of the newest snapshot.
fn newest(disk: &MemoryDisk) -> Result<Option<(u64, Vec<u8>)>, StorageError> {
    let files = SnapshotFiles::open(Arc::new(disk.clone()), Path::new(FOLDER))?;
    let Some(file) = files.latest()? else { return Ok(None) };
    Ok(Some((file.index, files.load(&file)?.read_to_end()?)))
}
