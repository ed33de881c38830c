//! The bytes of a segment.
//!
//! ```text
//! segment   head, zeros up to a sector, groups
//!   head    magic 8, version u16, zeros u16, chain u32, position u64, crc u32
//! group     head, records, zeros up to a sector
//!   head    magic 4, length of the records u32, position u64, durable u64, chain u32, crc u32
//! record    length of the content u32, crc u32, kind u8, content
//! ```
//!
//! Numbers are little-endian, checksums CRC-32C. A position counts the bytes of the log since its beginning, over all
//! segments; what stands at another position than it says was moved. Heads have checksums of their own, so that they are
//! known even behind something damaged. The checksum of a record covers that of the record before it, in whichever group or
//! segment that is, and heads name it as their chain: nothing can be left out or exchanged.
//!
//! `durable` is the position below which everything was durable when the group was written. Whoever finds the group knows
//! that damage below that position is no torn write.

use crate::error::{Damage, Item};

/// What a disk writes whole or not at all. Groups begin at its multiples, so that no write touches what was synced before.
pub(super) const SECTOR: usize = 512;

/// Bytes before the first group of a segment.
pub(super) const SEGMENT_HEAD: usize = SECTOR;

pub(super) const GROUP_HEAD: usize = 32;

pub(super) const RECORD_HEAD: usize = 9;

const VERSION: u16 = 1;

/// No UTF-8 has this byte, so that no text in a record looks like a head.
const SEGMENT_MAGIC: [u8; 8] = *b"\xffantlog\n";
const GROUP_MAGIC: [u8; 4] = *b"\xffgrp";

const SEGMENT_HEAD_USED: usize = 28;

/// How a segment begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SegmentHead {
    /// Where in the log it begins.
    pub(super) position: u64,
    /// The checksum of the record before it.
    pub(super) chain: u32,
}

impl SegmentHead {
    pub(super) fn encode(self) -> [u8; SEGMENT_HEAD] {
        let mut bytes = [0; SEGMENT_HEAD];
        bytes[..8].copy_from_slice(&SEGMENT_MAGIC);
        bytes[8..10].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.chain.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.position.to_le_bytes());
        let crc = crc32c::crc32c(&bytes[..24]);
        bytes[24..SEGMENT_HEAD_USED].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self, Damage> {
        let item = Item::SegmentHead;
        let Some(head) = bytes.first_chunk::<SEGMENT_HEAD>() else { return Err(Damage::Malformed { item }) };
        if head[..8] != SEGMENT_MAGIC {
            return Err(Damage::Malformed { item });
        }
        if u32_at(head, 24) != crc32c::crc32c(&head[..24]) {
            return Err(Damage::Checksum { item });
        }
        let found = u16::from_le_bytes([head[8], head[9]]);
        if found != VERSION {
            return Err(Damage::Version { item, found, known: VERSION });
        }
        Ok(Self { position: u64_at(head, 16), chain: u32_at(head, 12) })
    }
}

/// How a group begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct GroupHead {
    /// Where in the log it begins.
    pub(super) position: u64,
    /// Everything before this position was durable when the group was written.
    pub(super) durable: u64,
    /// The checksum of the record before it.
    pub(super) chain: u32,
    /// Bytes of its records.
    pub(super) length: u32,
}

impl GroupHead {
    pub(super) fn encode(self) -> [u8; GROUP_HEAD] {
        let mut bytes = [0; GROUP_HEAD];
        bytes[..4].copy_from_slice(&GROUP_MAGIC);
        bytes[4..8].copy_from_slice(&self.length.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.position.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.durable.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.chain.to_le_bytes());
        let crc = crc32c::crc32c(&bytes[..28]);
        bytes[28..].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// The head of a group at `position`, if there is one.
    pub(super) fn decode(bytes: &[u8], position: u64) -> Option<Self> {
        let head = bytes.first_chunk::<GROUP_HEAD>()?;
        let is_head =
            head[..4] == GROUP_MAGIC && u32_at(head, 28) == crc32c::crc32c(&head[..28]) && u64_at(head, 8) == position;
        let decoded = || Self { position, durable: u64_at(head, 16), chain: u32_at(head, 24), length: u32_at(head, 4) };
        is_head.then(decoded)
    }
}

/// Adds a record to `records`, behind one with the checksum `former`, and says its checksum.
pub(super) fn encode_record(records: &mut Vec<u8>, former: u32, kind: u8, content: &[&[u8]]) -> u32 {
    let length = content.iter().map(|part| part.len()).sum::<usize>();
    let length = u32::try_from(length).expect("changes are checked when they are made");
    let begin = records.len();
    records.extend_from_slice(&length.to_le_bytes());
    records.extend_from_slice(&[0; 4]);
    records.push(kind);
    for part in content {
        records.extend_from_slice(part);
    }
    let crc = record_crc(former, &records[begin..]);
    records[begin + 4..begin + 8].copy_from_slice(&crc.to_le_bytes());
    crc
}

/// A record as it is stored.
#[derive(Debug, Clone, Copy)]
pub(super) struct StoredRecord<'a> {
    pub(super) kind: u8,
    pub(super) content: &'a [u8],
    pub(super) crc: u32,
    /// Bytes that it takes.
    pub(super) length: usize,
}

/// The record that `bytes` begin with, if it is whole and stands behind one with the checksum `former`.
pub(super) fn decode_record(bytes: &[u8], former: u32) -> Option<StoredRecord<'_>> {
    let length = RECORD_HEAD + u32_at(bytes.first_chunk::<RECORD_HEAD>()?, 0) as usize;
    let bytes = bytes.get(..length)?;
    let crc = u32_at(bytes, 4);
    let is_whole = crc == record_crc(former, bytes);
    is_whole.then(|| StoredRecord { kind: bytes[8], content: &bytes[RECORD_HEAD..], crc, length })
}

/// Over the checksum before it, length, kind and content.
fn record_crc(former: u32, record: &[u8]) -> u32 {
    let crc = crc32c::crc32c_append(crc32c::crc32c(&former.to_le_bytes()), &record[..4]);
    crc32c::crc32c_append(crc, &record[8..])
}

/// The end of the last sector that `length` bytes need.
pub(super) fn whole_sectors(length: usize) -> usize {
    length.next_multiple_of(SECTOR)
}

fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    u32::from_le_bytes(bytes[offset..offset + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], offset: usize) -> u64 {
    u64::from_le_bytes(bytes[offset..offset + 8].try_into().expect("eight bytes"))
}
