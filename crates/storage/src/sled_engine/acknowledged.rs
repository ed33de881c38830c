//! The number of the last acknowledged write, in a file beside sled's, to notice when sled has lost it.
//!
//! sled ends its recovery at the first page that it cannot read and forgets what came later, without a word. This file is
//! written after every sync and before anything is acknowledged, but not synced itself: after a power cut it may be older
//! than the truth, which only means that it notices less.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::disk::{Disk, SystemDisk, write_atomically};
use crate::error::{Damage, Item, StorageError};

const NAME: &str = "acknowledged";

/// `version u8, zeros, crc u32 (over the number), number u64`: within one sector, so it is never half written.
const BYTES: usize = 16;

const VERSION: u8 = 1;

/// The open file.
pub(super) struct Acknowledged {
    file: File,
    path: PathBuf,
}

impl Acknowledged {
    /// Opens the file in sled's folder, and refuses if a later write was acknowledged than `found`, the last one in sled.
    pub(super) fn open(folder: &Path, found: u64) -> Result<Self, StorageError> {
        let path = folder.join(NAME);
        if !SystemDisk.exists(&path)? {
            if found > 0 {
                return Err(StorageError::damaged(&path, Damage::Malformed { item: Item::Bookkeeping }));
            }
            write_atomically(&SystemDisk, &path, &encode(0))?;
        }
        let failed = |operation| {
            let path = &path;
            move |error| StorageError::io(path, operation, error)
        };
        let mut file = File::options().read(true).write(true).open(&path).map_err(failed("opening"))?;
        let mut bytes = Vec::with_capacity(BYTES);
        Read::by_ref(&mut file).take(BYTES as u64 + 1).read_to_end(&mut bytes).map_err(failed("reading"))?;
        let acknowledged = decode(&bytes).map_err(|what| StorageError::damaged(&path, what))?;
        if acknowledged > found {
            return Err(StorageError::damaged(folder, Damage::Lost { acknowledged, found }));
        }
        Ok(Self { file, path })
    }

    /// Notes that everything up to this write is about to be acknowledged.
    pub(super) fn note(&self, write_number: u64) -> Result<(), StorageError> {
        let written = self.file.write_all_at(&encode(write_number), 0);
        written.map_err(|error| StorageError::io(&self.path, "writing", error))
    }
}

pub(super) fn encode(number: u64) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    bytes[0] = VERSION;
    bytes[4..8].copy_from_slice(&crc32c::crc32c(&number.to_le_bytes()).to_le_bytes());
    bytes[8..].copy_from_slice(&number.to_le_bytes());
    bytes
}

pub(super) fn decode(bytes: &[u8]) -> Result<u64, Damage> {
    let item = Item::Bookkeeping;
    let Some((_, number)) = bytes.split_last_chunk() else { return Err(Damage::Malformed { item }) };
    let number = u64::from_le_bytes(*number);
    if bytes == encode(number) { Ok(number) } else { Err(Damage::Checksum { item }) }
}
