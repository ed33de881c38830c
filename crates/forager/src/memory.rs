//! What a forager's data folder remembers: the highest epoch and the journal, each of which shows that the other was there.

use std::path::Path;
use std::sync::Arc;

use antfarm_model::Epoch;
use antfarm_storage::Disk;

use crate::epoch_file::EpochFile;
use crate::error::StartError;
use crate::journal::{Journal, Remembered};

/// The memory of a forager, opened.
pub(crate) struct Memory {
    pub(crate) epoch: EpochFile,
    pub(crate) journal: Journal,
    pub(crate) remembered: Remembered,
}

impl Memory {
    /// Opens both, and refuses one without the other: the journal is made before any epoch is noted, and an epoch is
    /// noted before any registration.
    pub(crate) fn open(disk: &Arc<dyn Disk>, data: &Path) -> Result<Self, StartError> {
        let epoch = EpochFile::open(Arc::clone(disk), data.join("epoch"))?;
        let path = data.join("journal");
        if epoch.seen() > Epoch(0) && !disk.exists(&path)? {
            return Err(StartError::MemoryIncomplete { missing: path });
        }
        let (journal, remembered) = Journal::open(Arc::clone(disk), &path)?;
        if remembered.registered.is_some() && epoch.seen() == Epoch(0) {
            return Err(StartError::MemoryIncomplete { missing: data.join("epoch") });
        }
        Ok(Self { epoch, journal, remembered })
    }
}

#[cfg(test)]
mod tests {
    use antfarm_model::Incarnation;
    use antfarm_storage::{MemoryDisk, StorageError};

    use super::*;
    use crate::journal::Record;

    #[test]
    fn a_journal_or_an_epoch_that_is_gone_is_noticed() {
        let data = Path::new("/f");
        for gone in ["journal", "epoch"] {
            let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
            used(&disk, data).expect("memory takes everything");
            Memory::open(&disk, data).expect("it is whole");
            disk.remove(&data.join(gone)).expect("it is there");
            let error = Memory::open(&disk, data).err().expect("half of it is gone");
            assert!(matches!(&error, StartError::MemoryIncomplete { missing } if missing.ends_with(gone)), "{error}");
        }
    }

    #[test]
    fn a_forager_that_never_heard_of_a_queen_may_begin_again() {
        let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::new());
        disk.create_folders(Path::new("/f")).expect("memory takes everything");
        for _ in 0..2 {
            Memory::open(&disk, Path::new("/f")).expect("there is nothing to miss");
        }
    }

    fn used(disk: &Arc<dyn Disk>, data: &Path) -> Result<(), StorageError> {
        disk.create_folders(data)?;
        let mut memory = Memory::open(disk, data).expect("it is empty");
        memory.epoch.raise(Epoch(3))?;
        memory.journal.note_durably(&Record::Registered { incarnation: Incarnation(1), boot_id: "boot".into() })?;
        memory.journal.commit()
    }
}
