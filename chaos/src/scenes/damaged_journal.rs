//! S18: a byte of a journal is not what was written. Whoever opens it is told so, or gets all that was promised.

use std::path::Path;
use std::sync::Arc;

use antfarm_storage::{Disk, JournalFile, MemoryDisk, StorageError};

use crate::checkers::Violation;
use crate::random::Random;

const FOLDER: &str = "/data";
const JOURNAL: &str = "/data/journal";

const RECORDS: u8 = 8;

/// Each record has at most so many bytes.
const MOST_BYTES: u64 = 64;

pub(super) fn play(seed: u64) -> Result<(), Violation> {
    let mut random = Random::new(seed);
    let (bytes, promised) = written(&mut random).expect("memory takes everything");
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << random.below(8);
        match opened(&damaged) {
            Ok(found) if found == promised => {}
            Err(StorageError::Damaged { .. }) => {}
            Ok(found) => {
                let what = format!(
                    "byte {place} of {} was damaged, and {} of {} records are there without a word",
                    bytes.len(),
                    found.len(),
                    promised.len()
                );
                return Err(Violation::new("S18 damage is detected", what));
            }
            Err(error) => return Err(Violation::new("S18 damage is detected", error.to_string())),
        }
    }
    Ok(())
}

/// A journal, and the records that were promised.
fn written(random: &mut Random) -> Result<(Vec<u8>, Vec<Vec<u8>>), StorageError> {
    let disk = empty_disk()?;
    let (mut journal, _) = JournalFile::open(Arc::new(disk.clone()), Path::new(JOURNAL))?;
    let mut records = Vec::new();
    for number in 0..RECORDS {
        let length = usize::try_from(1 + random.below(MOST_BYTES)).unwrap_or(1);
        records.push(vec![number + 1; length]);
        journal.append(&records[usize::from(number)])?;
        journal.sync()?;
    }
    Ok((disk.read(Path::new(JOURNAL))?, records))
}

fn opened(bytes: &[u8]) -> Result<Vec<Vec<u8>>, StorageError> {
    let disk = empty_disk()?;
    disk.create(Path::new(JOURNAL))?.write(bytes)?;
    JournalFile::open(Arc::new(disk), Path::new(JOURNAL)).map(|(_, records)| records)
}

fn empty_disk() -> Result<MemoryDisk, StorageError> {
    let disk = MemoryDisk::new();
    disk.create_folders(Path::new(FOLDER))?;
    Ok(disk)
}
