//! The highest epoch that was ever seen, on disk.

use std::path::PathBuf;
use std::sync::Arc;

use antfarm_model::Epoch;
use antfarm_planted::{Bug, planted};
use antfarm_storage::{Disk, DiskFile, StorageError, write_atomically};

use crate::error::StartError;

/// `[version u16][epoch u64][crc-32c u32]`, little endian.
const BYTES: usize = 2 + 8 + 4;
const VERSION: u16 = 1;

/// Keeps the highest epoch. It is durable before anything follows from it.
pub(crate) struct EpochFile {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    /// The file, since it is there.
    file: Option<Box<dyn DiskFile>>,
    seen: Epoch,
}

impl EpochFile {
    /// Reads the file; an epoch of 0 if there is none yet.
    pub(crate) fn open(disk: Arc<dyn Disk>, path: PathBuf) -> Result<Self, StartError> {
        let (file, seen) = match disk.read(&path) {
            Ok(bytes) => (Some(disk.open_file(&path)?), decode(&bytes).ok_or(StartError::EpochDamaged)?),
            Err(error) if error.is_not_found() => (None, Epoch(0)),
            Err(error) => return Err(error.into()),
        };
        Ok(Self { disk, path, file, seen })
    }

    /// The highest epoch that was ever seen.
    pub(crate) fn seen(&self) -> Epoch {
        self.seen
    }

    /// Takes note of a higher epoch, durably. The new one is written over the former one, within one sector, which a disk
    /// writes whole: every failover waits for this, and a file beside it would cost two syncs more.
    pub(crate) fn raise(&mut self, epoch: Epoch) -> Result<(), StorageError> {
        assert!(epoch > self.seen, "an epoch only rises");
        let kept = if planted(Bug::EpochInMemory) { Epoch(1) } else { epoch };
        if let Some(file) = &self.file {
            file.write_at(0, &encode(kept))?;
            file.sync()?;
        } else {
            write_atomically(self.disk.as_ref(), &self.path, &encode(kept))?;
            self.file = Some(self.disk.open_file(&self.path)?);
        }
        self.seen = epoch;
        Ok(())
    }
}

pub(crate) fn encode(epoch: Epoch) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    bytes[..2].copy_from_slice(&VERSION.to_le_bytes());
    bytes[2..10].copy_from_slice(&epoch.0.to_le_bytes());
    let crc = crc32c::crc32c(&bytes[..10]);
    bytes[10..].copy_from_slice(&crc.to_le_bytes());
    bytes
}

pub(crate) fn decode(bytes: &[u8]) -> Option<Epoch> {
    let whole: &[u8; BYTES] = bytes.try_into().ok()?;
    let epoch = Epoch(u64::from_le_bytes(whole[2..10].try_into().ok()?));
    (encode(epoch) == *whole).then_some(epoch)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use antfarm_storage::MemoryDisk;

    use super::*;

    fn open(disk: &MemoryDisk) -> Result<EpochFile, StartError> {
        EpochFile::open(Arc::new(disk.clone()), PathBuf::from("/f/epoch"))
    }

    #[test]
    fn an_epoch_survives_a_power_cut_right_after_it_was_raised() {
        let disk = MemoryDisk::new();
        disk.create_folders(Path::new("/f")).expect("memory takes everything");
        let mut file = open(&disk).expect("there is none yet");
        assert_eq!(file.seen(), Epoch(0));
        for epoch in [7, 300] {
            file.raise(Epoch(epoch)).expect("memory takes everything");
            disk.crash();
            file = open(&disk).expect("it is whole");
            assert_eq!(file.seen(), Epoch(epoch));
        }
    }

    #[test]
    fn a_damaged_file_is_refused_and_the_bytes_are_golden() {
        let golden = [1, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0xca, 0x8e, 0xd2, 0xd2];
        assert_eq!(encode(Epoch(7)), golden, "{:02x?}", encode(Epoch(7)));
        for at in 0..golden.len() {
            let mut bytes = golden;
            bytes[at] ^= 1;
            assert_eq!(decode(&bytes), None);
        }
        assert_eq!(decode(&golden[1..]), None);
    }
}
