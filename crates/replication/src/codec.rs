//! Versioned bytes of what is stored and sent: `[kind u8][version u16, little endian][bincode payload]`.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// What a blob is. Numbers are only ever added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// In the vote of the log engine.
    Vote = 1,
    /// In the facts «committed» and «purged».
    LogId = 2,
    /// In a log record of a membership entry.
    Membership = 3,
    /// In the fact «identity».
    Identity = 4,
    /// In the fact «peer disk».
    PeerDisk = 5,
    /// In the head of a snapshot file.
    SnapshotHead = 6,
    /// First frame of a connection, from the one who connects.
    Hello = 16,
    /// Its answer.
    Welcome = 17,
    /// A request to a peer.
    Request = 18,
    /// Its answer.
    Response = 19,
}

/// Why bytes could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CodecError {
    #[error("these bytes are of kind {found}, not of kind {expected:?}: they were stored or sent by something else")]
    WrongKind { expected: Kind, found: u8 },
    #[error("these bytes have format version {found}, and this program reads version {VERSION}: run a newer one")]
    UnknownVersion { found: u16 },
    #[error("these bytes do not decode as {0:?}: they are damaged or cut")]
    Malformed(Kind),
}

/// The newest version of every kind.
pub(crate) const VERSION: u16 = 1;
const HEADER_BYTES: usize = 3;

pub(crate) fn encode<T: Serialize>(kind: Kind, value: &T) -> Vec<u8> {
    let mut bytes = vec![kind as u8];
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&antfarm_binary::encode(value));
    bytes
}

pub(crate) fn decode<T: DeserializeOwned>(kind: Kind, bytes: &[u8]) -> Result<T, CodecError> {
    let found = bytes.first().copied().unwrap_or(0);
    if found != kind as u8 || bytes.len() < HEADER_BYTES {
        return Err(CodecError::WrongKind { expected: kind, found });
    }
    let version = u16::from_le_bytes([bytes[1], bytes[2]]);
    if version != VERSION {
        return Err(CodecError::UnknownVersion { found: version });
    }
    antfarm_binary::decode(&bytes[HEADER_BYTES..]).ok_or(CodecError::Malformed(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trailing_bytes_are_refused() {
        let mut bytes = encode(Kind::Vote, &7_u64);
        bytes.push(0);
        assert_eq!(decode::<u64>(Kind::Vote, &bytes), Err(CodecError::Malformed(Kind::Vote)));
    }

    #[test]
    fn a_hostile_length_is_refused_before_it_is_allocated() {
        let mut bytes = encode(Kind::Vote, &());
        bytes.extend_from_slice(&[253, 255, 255, 255, 255, 255, 255, 255, 127]);
        assert_eq!(decode::<Vec<u8>>(Kind::Vote, &bytes), Err(CodecError::Malformed(Kind::Vote)));
    }

    #[test]
    fn another_kind_and_a_newer_version_are_refused() {
        let bytes = encode(Kind::Vote, &7_u64);
        let other = CodecError::WrongKind { expected: Kind::LogId, found: 1 };
        assert_eq!(decode::<u64>(Kind::LogId, &bytes), Err(other));
        let mut newer = bytes;
        newer[1] = 9;
        assert_eq!(decode::<u64>(Kind::Vote, &newer), Err(CodecError::UnknownVersion { found: 9 }));
    }
}
