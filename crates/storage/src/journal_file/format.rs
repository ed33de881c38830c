//! The bytes of a journal: records one after the other, each `version u8, length u32, content crc u32, head crc u32, content`.
//!
//! Numbers are little-endian, checksums CRC-32C. Both checksums begin with the record's offset in the file, so that a
//! moved record is noticed; the head has its own, so that a damaged length is not taken for a torn tail.

use std::path::Path;

use antfarm_planted::{Bug, planted};

use crate::error::{Damage, Item, StorageError};

const VERSION: u8 = 1;

const HEAD_BYTES: usize = 1 + 4 + 4 + 4;

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

/// The records of a file, and how many bytes whole records take.
///
/// What follows the last whole record may be the beginning of another, or nothing but zeros (a file that grew before its
/// content was written): both come only from a write that was never synced. Anything else is damage, because it could be
/// a record that was.
pub(super) fn decode(path: &Path, bytes: &[u8]) -> Result<(Vec<Vec<u8>>, usize), StorageError> {
    let mut records = Vec::new();
    let mut offset = 0;
    while let Some((head, rest)) = bytes[offset..].split_first_chunk::<HEAD_BYTES>() {
        let item = Item::JournalRecord(offset as u64);
        let [version, l0, l1, l2, l3, c0, c1, c2, c3, h0, h1, h2, h3] = *head;
        if u32::from_le_bytes([h0, h1, h2, h3]) != crc(offset as u64, &head[..HEAD_BYTES - 4]) {
            if bytes[offset..].iter().all(|byte| *byte == 0) || planted(Bug::DamageTakenForTail) {
                break;
            }
            return Err(StorageError::damaged(path, Damage::Checksum { item }));
        }
        if version != VERSION {
            let (found, known) = (u16::from(version), u16::from(VERSION));
            return Err(StorageError::damaged(path, Damage::Version { item, found, known }));
        }
        let Some(content) = rest.get(..u32::from_le_bytes([l0, l1, l2, l3]) as usize) else { break };
        if u32::from_le_bytes([c0, c1, c2, c3]) != crc(offset as u64, content) {
            if planted(Bug::DamageTakenForTail) {
                break;
            }
            return Err(StorageError::damaged(path, Damage::Checksum { item }));
        }
        records.push(content.to_vec());
        offset += HEAD_BYTES + content.len();
    }
    Ok((records, offset))
}

fn crc(offset: u64, bytes: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&offset.to_le_bytes()), bytes)
}
