//! Keys and values as they stand in sled.
//!
//! ```text
//! key                                  content of the value
//! 'f' fact (9 bytes)                   value of the fact
//! 'l' index u64  piece u32             payload length u32, payload crc u32, up to PIECE_BYTES of payload
//! 'm' 'e'                              the index after the last record u64
//! 'm' 'n'                              number of the last write u64
//! 'm' 's'                              where the log begins u64
//! 'm' 'v'                              the vote
//! ```
//!
//! Numbers in keys are big-endian, in values little-endian. A value is `version u8, crc u32, content`; its CRC-32C is over
//! key, version and content, so that a value under another's key is noticed.

use crate::engine::Fact;
use crate::error::{Damage, Item};

const VERSION: u8 = 1;

/// Payload bytes in one value.
///
/// sled splits a leaf by its number of items, above 16, and rewrites leaves whole; a page of more than 128 KiB becomes a
/// file of its own that is never synced. So it is not enough that one value is small: 24 of them must fit into a page,
/// the 17 of a leaf that is about to be split and what a merge may add.
pub(super) const PIECE_BYTES: usize = 4 << 10;

pub(super) const END_KEY: &[u8] = b"me";
pub(super) const START_KEY: &[u8] = b"ms";
pub(super) const VOTE_KEY: &[u8] = b"mv";
pub(super) const WRITE_NUMBER_KEY: &[u8] = b"mn";
pub(super) const FACT_PREFIX: &[u8] = b"f";
pub(super) const LOG_PREFIX: &[u8] = b"l";

const HEAD_BYTES: usize = 5;
const PIECE_HEAD_BYTES: usize = 8;

pub(super) fn fact_key(fact: Fact) -> [u8; 10] {
    let mut key = [FACT_PREFIX[0]; 10];
    key[1..].copy_from_slice(&fact.key());
    key
}

pub(super) fn fact_of(key: &[u8]) -> Option<Fact> {
    Fact::from_key(key.strip_prefix(FACT_PREFIX)?.try_into().ok()?)
}

pub(super) fn piece_key(index: u64, piece: u32) -> [u8; 13] {
    let mut key = [LOG_PREFIX[0]; 13];
    key[1..9].copy_from_slice(&index.to_be_bytes());
    key[9..].copy_from_slice(&piece.to_be_bytes());
    key
}

/// Index and number of a piece.
pub(super) fn piece_of(key: &[u8]) -> Option<(u64, u32)> {
    let (index, piece) = key.strip_prefix(LOG_PREFIX)?.split_first_chunk()?;
    Some((u64::from_be_bytes(*index), u32::from_be_bytes(piece.try_into().ok()?)))
}

/// How many pieces a payload of this length takes: an empty one takes one, too.
pub(super) fn pieces(length: u32) -> u32 {
    length.div_ceil(u32::try_from(PIECE_BYTES).expect("a small constant")).max(1)
}

/// The stored form of `content` under `key`.
pub(super) fn encode(key: &[u8], content: &[u8]) -> Vec<u8> {
    let mut value = Vec::with_capacity(HEAD_BYTES + content.len());
    value.push(VERSION);
    value.extend_from_slice(&crc(key, content).to_le_bytes());
    value.extend_from_slice(content);
    value
}

/// The content of a stored value.
pub(super) fn decode<'a>(key: &[u8], value: &'a [u8], item: Item) -> Result<&'a [u8], Damage> {
    let Some(([version, stored_crc @ ..], content)) = value.split_first_chunk::<HEAD_BYTES>() else {
        return Err(Damage::Malformed { item });
    };
    if *version != VERSION {
        return Err(Damage::Version { item, found: u16::from(*version), known: u16::from(VERSION) });
    }
    if u32::from_le_bytes(*stored_crc) != crc(key, content) {
        return Err(Damage::Checksum { item });
    }
    Ok(content)
}

/// What a piece says about the payload it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PieceHead {
    pub(super) length: u32,
    pub(super) payload_crc: u32,
}

impl PieceHead {
    pub(super) fn of(payload: &[u8]) -> Self {
        let length = u32::try_from(payload.len()).expect("records are checked against MAX_RECORD_BYTES");
        Self { length, payload_crc: crc32c::crc32c(payload) }
    }

    /// The content of a value that holds one piece.
    pub(super) fn with(self, piece: &[u8]) -> Vec<u8> {
        let mut content = Vec::with_capacity(PIECE_HEAD_BYTES + piece.len());
        content.extend_from_slice(&self.length.to_le_bytes());
        content.extend_from_slice(&self.payload_crc.to_le_bytes());
        content.extend_from_slice(piece);
        content
    }

    /// The head and the piece of a value's content.
    pub(super) fn split(content: &[u8]) -> Option<(Self, &[u8])> {
        let (length, rest) = content.split_first_chunk()?;
        let (payload_crc, piece) = rest.split_first_chunk()?;
        let head = Self { length: u32::from_le_bytes(*length), payload_crc: u32::from_le_bytes(*payload_crc) };
        Some((head, piece))
    }
}

fn crc(key: &[u8], content: &[u8]) -> u32 {
    let crc = crc32c::crc32c_append(crc32c::crc32c(key), &[VERSION]);
    crc32c::crc32c_append(crc, content)
}
