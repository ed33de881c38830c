//! Binary frames: `[kind u8][version u16, little endian]`, then messages, one after the other, to the end of the frame.
//!
//! A message may stand for a range: one for each of consecutive instances of a node, which differ in nothing else.
//! The types beneath are frozen: variants are appended, and a changed field is a new version.

pub(crate) mod forager;
pub(crate) mod queen;
mod values;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::bounds::MAX_MESSAGES;
use crate::direction::Direction;
use crate::error::{Bounded, DecodeError};

const VERSION: u16 = 1;
const HEADER_BYTES: usize = 3;

pub(crate) fn header<D: Direction>() -> [u8; HEADER_BYTES] {
    let [low, high] = VERSION.to_le_bytes();
    [D::KIND, low, high]
}

/// The bytes of a frozen message.
pub(crate) fn freeze(message: &impl Serialize) -> Vec<u8> {
    antfarm_binary::encode(message)
}

/// A frozen message from the beginning of `bytes`, and how many bytes it took.
pub(crate) fn thaw<T: DeserializeOwned>(bytes: &[u8]) -> Result<(T, usize), DecodeError> {
    antfarm_binary::decode_first(bytes).ok_or(DecodeError::Malformed)
}

pub(crate) fn decode<D: Direction>(frame: &[u8]) -> Result<Vec<D>, DecodeError> {
    let expected = D::KIND;
    let found = frame.first().copied().unwrap_or(0);
    if found != expected {
        return Err(DecodeError::WrongKind { expected, found, from: D::FROM });
    }
    let Some(([_, low, high], mut rest)) = frame.split_first_chunk::<HEADER_BYTES>() else {
        return Err(DecodeError::Malformed);
    };
    let version = u16::from_le_bytes([*low, *high]);
    if version != VERSION {
        return Err(DecodeError::Version { found: version, known: VERSION });
    }
    let mut messages = Vec::new();
    while !rest.is_empty() {
        Bounded::check("messages in a frame", messages.len() + 1, MAX_MESSAGES).map_err(DecodeError::Unbounded)?;
        let consumed = D::of_binary(rest, MAX_MESSAGES - messages.len(), &mut messages)?;
        rest = &rest[consumed..];
    }
    Ok(messages)
}
