//! bincode, read in no more memory than the input accounts for.
//!
//! bincode believes the lengths that it reads: a text that claims 60 MiB gets 60 MiB, even if ten bytes follow, and a list
//! gets room for a megabyte of elements in advance. What stands here looks first whether the bytes are there, and lets
//! lists grow as their elements arrive.
//!
//! Pure, and the only crate that names bincode. Which types are written, and what stands before them, their owners know.

mod frugal;

use serde::Serialize;
use serde::de::DeserializeOwned;

use frugal::Owned;

/// The bytes of a value.
///
/// # Panics
/// If its type holds what bincode cannot say, such as a sequence whose length is not known. Stored and sent types do not.
pub fn encode<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    bincode::serde::encode_to_vec(value, bincode::config::standard())
        .expect("stored and sent types hold only what bincode can say")
}

/// The value that the bytes are from their first to their last, if they are one.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let (value, consumed) = decode_first(bytes)?;
    (consumed == bytes.len()).then_some(value)
}

/// The value at the beginning of the bytes, and how many of them it takes.
pub fn decode_first<T: DeserializeOwned>(bytes: &[u8]) -> Option<(T, usize)> {
    let read = bincode::serde::borrow_decode_from_slice::<Owned<T>, _>(bytes, bincode::config::standard());
    read.ok().map(|(Owned(value), consumed)| (value, consumed))
}

#[cfg(test)]
mod tests;
