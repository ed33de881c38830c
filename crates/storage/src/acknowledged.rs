//! The number of the last acknowledged write, in a file beside the log, to notice when the log has lost it.
//!
//! sled ends its recovery at the first page that it cannot read and forgets what came later, without a word; and whether
//! the last group of a segment was damaged or never written whole cannot be told from the segment alone. This file is
//! written after every sync and before anything is acknowledged, but not synced itself: after a power cut it may be older
//! than the truth, which only means that it notices less.

use std::path::Path;

use crate::disk::{Disk, DiskFile, write_atomically};
use crate::error::{Damage, Item, StorageError};

const NAME: &str = "acknowledged";

/// `version u8, zeros, crc u32 (over the number), number u64`: within one sector, so it is never half written.
const BYTES: usize = 16;

const VERSION: u8 = 1;

/// The open file.
pub(crate) struct Acknowledged(Box<dyn DiskFile>);

impl Acknowledged {
    /// Opens the file in an engine's folder, and refuses if a later write was acknowledged than `found`, the last one in
    /// the log. Numbers of writes rise, from above 0.
    pub(crate) fn open(disk: &dyn Disk, folder: &Path, found: u64) -> Result<Self, StorageError> {
        let path = folder.join(NAME);
        if !disk.exists(&path)? {
            if found > 0 {
                return Err(malformed(&path));
            }
            write_atomically(disk, &path, &encode(0))?;
        }
        let file = disk.open_file(&path)?;
        let mut bytes = [0; BYTES + 1];
        let length = file.read_at(0, &mut bytes)?;
        let acknowledged = decode(&bytes[..length]).map_err(|what| StorageError::damaged(&path, what))?;
        if acknowledged > found {
            return Err(StorageError::damaged(folder, Damage::Lost { acknowledged, found }));
        }
        Ok(Self(file))
    }

    /// Notes that everything up to this write is about to be acknowledged.
    pub(crate) fn note(&self, number: u64) -> Result<(), StorageError> {
        self.0.write_at(0, &encode(number))
    }
}

fn malformed(path: &Path) -> StorageError {
    StorageError::damaged(path, Damage::Malformed { item: Item::Bookkeeping })
}

fn encode(number: u64) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    bytes[0] = VERSION;
    bytes[4..8].copy_from_slice(&crc32c::crc32c(&number.to_le_bytes()).to_le_bytes());
    bytes[8..].copy_from_slice(&number.to_le_bytes());
    bytes
}

fn decode(bytes: &[u8]) -> Result<u64, Damage> {
    let item = Item::Bookkeeping;
    let Some((_, number)) = bytes.split_last_chunk() else { return Err(Damage::Malformed { item }) };
    let number = u64::from_le_bytes(*number);
    if bytes == encode(number) { Ok(number) } else { Err(Damage::Checksum { item }) }
}
