//! What a fence belongs to: any bytes, and the file names that stand for them.

use std::fmt::{self, Write as _};

use sha2::{Digest, Sha256};

use crate::fence::record::hex;

/// The key of a fence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key(Vec<u8>);

/// Why bytes are no key.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("a key has 1 to {most} bytes, and this one has {0}", most = Key::MAX_BYTES)]
pub(crate) struct InvalidKey(usize);

impl Key {
    /// So long that a graph, a node and an index find room, and an address, too.
    pub(crate) const MAX_BYTES: usize = 1_024;

    /// Takes any bytes but none, and not too many.
    pub(crate) fn new(bytes: &[u8]) -> Result<Self, InvalidKey> {
        if (1..=Self::MAX_BYTES).contains(&bytes.len()) {
            Ok(Self(bytes.to_vec()))
        } else {
            Err(InvalidKey(bytes.len()))
        }
    }

    /// The first part of its files' names: a digest, because a key may be longer than a file name, differ from another
    /// only in case, or hold `/` and `..`.
    pub(super) fn file_stem(&self) -> String {
        hex(&Sha256::digest(&self.0))
    }
}

/// As in a record and in messages: what is no letter, digit or `-._/` stands as `%` and two digits, so that every key has
/// exactly one form, on one line.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in &self.0 {
            if byte.is_ascii_alphanumeric() || b"-._/".contains(byte) {
                f.write_char(char::from(*byte))?;
            } else {
                write!(f, "%{byte:02X}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(bytes: &[u8]) -> Key {
        Key::new(bytes).expect("a key")
    }

    #[test]
    fn every_key_has_a_plain_file_name_of_its_own() {
        let hostile: [&[u8]; 8] = [b"a", b"A", b"..", b"../../etc/passwd", b"/", b"\0", b"\xff\xfe", &[b'x'; 1_024]];
        let stems: std::collections::BTreeSet<String> = hostile.iter().map(|bytes| key(bytes).file_stem()).collect();
        assert_eq!(stems.len(), hostile.len());
        for stem in stems {
            assert!(stem.len() == 64 && stem.bytes().all(|byte| byte.is_ascii_hexdigit()), "{stem}");
        }
    }

    #[test]
    fn a_key_is_shown_on_one_line_and_no_two_alike() {
        assert_eq!(key(b"nightly/clean/3").to_string(), "nightly/clean/3");
        assert_eq!(key(b"a b\n%20\xff").to_string(), "a%20b%0A%2520%FF");
    }

    #[test]
    fn no_bytes_and_too_many_bytes_are_no_key() {
        assert_eq!(Key::new(b""), Err(InvalidKey(0)));
        assert_eq!(Key::new(&[0; 1_025]), Err(InvalidKey(1_025)));
    }
}
