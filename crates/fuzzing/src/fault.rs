//! What a decoder did that it must not do.

use std::fmt;

/// What a decoder did that it must not do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It panicked.
    Panicked(String),
    /// It held more memory than its input accounts for, in bytes.
    TookTooMuch { peak: usize, allowed: usize },
    /// What it read does not keep a promise.
    BrokeAPromise(String),
}

impl Fault {
    /// Whether another fault is of the same kind, so that a smaller input may stand for this one.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Panicked(said) => write!(f, "the decoder panicked: {said}"),
            Self::TookTooMuch { peak, allowed } => {
                write!(f, "the decoder held {peak} bytes at once, and its input accounts for {allowed}")
            }
            Self::BrokeAPromise(said) => write!(f, "what was read does not keep a promise: {said}"),
        }
    }
}
