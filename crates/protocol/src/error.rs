//! Why a frame could not be made or read.

/// Why messages could not be put into frames.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// One message alone is larger than a frame may be.
    #[error("a {kind} of {bytes} bytes does not fit into a frame of {limit}: raise limits.frame_bytes, or send less")]
    TooLarge {
        /// The message's type.
        kind: &'static str,
        /// How large it is.
        bytes: usize,
        /// How large a frame may be.
        limit: usize,
    },
    /// A part of a message exceeds its bound.
    #[error("a {kind} was not sent: {bounded}")]
    Unbounded {
        /// The message's type.
        kind: &'static str,
        /// Which bound.
        bounded: Bounded,
    },
}

/// Why a frame could not be read. None of its messages counts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The frame is larger than a frame may be.
    #[error("a frame of {bytes} bytes was sent, and at most {limit} are taken")]
    TooLarge {
        /// How large it is.
        bytes: usize,
        /// How large it may be.
        limit: usize,
    },
    /// A part exceeds its bound.
    #[error("a frame was refused: {0}")]
    Unbounded(Bounded),
    /// The header says that this is something else.
    #[error("a frame of kind {found} was sent where kind {expected} belongs: the other end is no {from}")]
    WrongKind {
        /// The kind that was expected.
        expected: u8,
        /// The kind in the header, 0 if there is none.
        found: u8,
        /// Who sends what was expected.
        from: &'static str,
    },
    /// A newer program sent it.
    #[error("a frame of version {found} was sent, and this program reads version {known}: run a newer one here")]
    Version {
        /// The version in the header.
        found: u16,
        /// The one that is known here.
        known: u16,
    },
    /// The bytes after the header are cut, damaged, or followed by others.
    #[error("a binary frame does not decode: it is cut, damaged, or followed by something else")]
    Malformed,
    /// The text is no message, or a message lacks something.
    #[error("a JSON frame does not decode: {0}")]
    Json(String),
    /// No message has that type.
    #[error("a message of type {0:?} was sent, and there is none: see crates/protocol/DESIGN.md for those there are")]
    UnknownType(String),
}

/// A bound that was exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{what} would have {count}, and at most {limit} are allowed")]
pub struct Bounded {
    /// What is too much.
    pub what: &'static str,
    /// How much it is.
    pub count: usize,
    /// How much it may be.
    pub limit: usize,
}

impl Bounded {
    /// Holds a count to its bound.
    pub(crate) fn check(what: &'static str, count: usize, limit: usize) -> Result<(), Self> {
        if count > limit { Err(Self { what, count, limit }) } else { Ok(()) }
    }
}
