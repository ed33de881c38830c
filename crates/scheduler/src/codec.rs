//! Versioned bytes of what is stored: `[kind u8][version u16, little endian][bincode payload]`.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// What a blob is. Variants are appended, never renumbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    Entry = 1,
    SnapshotRecord = 2,
    Graph = 3,
}

/// Why bytes could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CodecError {
    /// The header says that this is something else.
    #[error("these bytes are of kind {found}, not of kind {expected}: they were stored or sent by something else")]
    WrongKind {
        /// The kind that was asked for.
        expected: u8,
        /// The kind in the header, 0 if there is none.
        found: u8,
    },
    /// A newer program wrote them.
    #[error("these bytes have format version {found}, this program reads up to {known}: run a newer version")]
    UnknownVersion {
        /// The version in the header.
        found: u16,
        /// The newest that is known here.
        known: u16,
    },
    /// They do not decode.
    #[error("these bytes do not decode as kind {kind}, version {version}: they are damaged or cut")]
    Malformed {
        /// The kind.
        kind: u8,
        /// The version.
        version: u16,
    },
}

/// The newest version of every kind.
const VERSION: u16 = 1;
const HEADER: usize = 3;

pub(crate) fn encode<T: Serialize>(kind: Kind, value: &T) -> Vec<u8> {
    let mut bytes = vec![kind as u8];
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&antfarm_binary::encode(value));
    bytes
}

pub(crate) fn decode<T: DeserializeOwned>(kind: Kind, bytes: &[u8]) -> Result<T, CodecError> {
    let expected = kind as u8;
    let found = bytes.first().copied().unwrap_or(0);
    if found != expected || bytes.len() < HEADER {
        return Err(CodecError::WrongKind { expected, found });
    }
    let version = u16::from_le_bytes([bytes[1], bytes[2]]);
    if version != VERSION {
        return Err(CodecError::UnknownVersion { found: version, known: VERSION });
    }
    antfarm_binary::decode(&bytes[HEADER..]).ok_or(CodecError::Malformed { kind: expected, version })
}
