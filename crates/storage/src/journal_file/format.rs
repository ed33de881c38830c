//! The bytes of a journal: a mark, then records one after the other.
//!
//! ```text
//! mark     version u8  0 0 0  crc u32  synced u64                    crc is over version, zeros, synced
//! record   version u8  length u32  content crc u32  head crc u32  content
//! ```
//!
//! Numbers are little-endian, checksums CRC-32C. Both checksums of a record begin with its offset in the file, so that a
//! moved record is noticed; the head has its own, so that a damaged length is not taken for a torn tail.
//!
//! The mark says up to which byte the file was synced. It is written over after each sync, within one sector, and durable
//! with the next one: it may say less than the truth, and never more.

use std::path::Path;

use crate::error::{Damage, Item, StorageError};

const VERSION: u8 = 1;

const HEAD_BYTES: usize = 1 + 4 + 4 + 4;

/// Where the records begin.
pub(super) const MARK_BYTES: usize = 16;

pub(super) const MAX_RECORD_BYTES: usize = 16 << 20;

/// A record as it stands in the file from `offset` on.
pub(super) fn encode(offset: u64, content: &[u8]) -> Result<Vec<u8>, StorageError> {
    let length = u32::try_from(content.len()).ok().filter(|length| *length as usize <= MAX_RECORD_BYTES);
    let Some(length) = length else {
        return Err(StorageError::TooLarge {
            item: "journal record",
            bytes: content.len() as u64,
            limit: MAX_RECORD_BYTES as u64,
        });
    };
    let mut bytes = Vec::with_capacity(HEAD_BYTES + content.len());
    bytes.push(VERSION);
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(&crc(offset, content).to_le_bytes());
    let head_crc = crc(offset, &bytes);
    bytes.extend_from_slice(&head_crc.to_le_bytes());
    bytes.extend_from_slice(content);
    Ok(bytes)
}

/// The mark of a file that is synced up to here.
pub(super) fn mark(synced: u64) -> [u8; MARK_BYTES] {
    let mut bytes = [0; MARK_BYTES];
    bytes[0] = VERSION;
    bytes[8..].copy_from_slice(&synced.to_le_bytes());
    let crc = crc32c::crc32c_append(crc32c::crc32c(&bytes[..4]), &bytes[8..]);
    bytes[4..8].copy_from_slice(&crc.to_le_bytes());
    bytes
}

/// What stands in a journal.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) records: Vec<Vec<u8>>,
    /// How many bytes the mark and the records take: what follows is to be cut off.
    pub(super) whole: usize,
    /// What the mark says.
    pub(super) synced: u64,
}

/// Reads a journal. Up to where it was synced, everything must be as it was written. Behind that, it ends at the first
/// record that is not: of what was never synced, a power cut keeps any part.
pub(super) fn decode(path: &Path, bytes: &[u8]) -> Result<Found, StorageError> {
    let synced = synced(bytes).map_err(|what| StorageError::damaged(path, what))?;
    let mut found = Found { records: Vec::new(), whole: MARK_BYTES, synced };
    while found.whole < bytes.len() {
        match record_at(bytes, found.whole) {
            Ok(content) => {
                found.records.push(content.to_vec());
                found.whole += HEAD_BYTES + content.len();
            }
            // Only a newer program writes such a record.
            Err(what @ Damage::Version { .. }) => return Err(StorageError::damaged(path, what)),
            Err(what) if (found.whole as u64) < synced => return Err(StorageError::damaged(path, what)),
            Err(_) => break,
        }
    }
    if (found.whole as u64) < synced {
        let item = Item::JournalRecord(found.whole as u64);
        return Err(StorageError::damaged(path, Damage::Malformed { item }));
    }
    Ok(found)
}

fn synced(bytes: &[u8]) -> Result<u64, Damage> {
    let item = Item::JournalMark;
    let Some(found) = bytes.first_chunk::<MARK_BYTES>() else { return Err(Damage::Malformed { item }) };
    let [.., s0, s1, s2, s3, s4, s5, s6, s7] = *found;
    let synced = u64::from_le_bytes([s0, s1, s2, s3, s4, s5, s6, s7]);
    if *found == mark(synced) { Ok(synced) } else { Err(Damage::Checksum { item }) }
}

fn record_at(bytes: &[u8], offset: usize) -> Result<&[u8], Damage> {
    let item = Item::JournalRecord(offset as u64);
    let Some((head, rest)) = bytes[offset..].split_first_chunk::<HEAD_BYTES>() else {
        return Err(Damage::Malformed { item });
    };
    let [version, l0, l1, l2, l3, c0, c1, c2, c3, h0, h1, h2, h3] = *head;
    if u32::from_le_bytes([h0, h1, h2, h3]) != crc(offset as u64, &head[..HEAD_BYTES - 4]) {
        return Err(Damage::Checksum { item });
    }
    if version != VERSION {
        return Err(Damage::Version { item, found: u16::from(version), known: u16::from(VERSION) });
    }
    let Some(content) = rest.get(..u32::from_le_bytes([l0, l1, l2, l3]) as usize) else {
        return Err(Damage::Malformed { item });
    };
    if u32::from_le_bytes([c0, c1, c2, c3]) != crc(offset as u64, content) {
        return Err(Damage::Checksum { item });
    }
    Ok(content)
}

fn crc(offset: u64, bytes: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&offset.to_le_bytes()), bytes)
}
