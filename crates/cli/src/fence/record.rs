//! What stands in the file of a key: four lines that people can read, the last of which vouches for the others.

use std::fmt::Write as _;

use antfarm_model::Fence;
use sha2::{Digest, Sha256};

use crate::fence::Key;

/// The first line. Another format has another number.
const HEAD: &str = "antfarm fence 1";

/// No record is longer: a key at three characters a byte, and the rest.
pub(super) const MAX_BYTES: usize = 3 * Key::MAX_BYTES + 256;

/// The record of a key whose highest fence is `fence`.
pub(super) fn encode(key: &Key, fence: Fence) -> String {
    let vouched = format!("{HEAD}\nkey {key}\nfence {fence}\n");
    let digest = hex(&Sha256::digest(&vouched));
    format!("{vouched}sha256 {digest}\n")
}

/// The fence of a record of this key, or what is wrong with it.
pub(super) fn decode(key: &Key, bytes: &[u8]) -> Result<Fence, &'static str> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is no text")?;
    let mut lines = text.lines();
    match lines.next() {
        Some(HEAD) => {}
        Some(head) if head.starts_with("antfarm fence ") => {
            return Err("it has a format that this program does not know");
        }
        Some(_) | None => return Err("it does not begin like a record of a fence"),
    }
    let shown = lines.next().and_then(|line| line.strip_prefix("key "));
    let fence = lines.next().and_then(|line| line.strip_prefix("fence ")?.parse().ok());
    let (Some(shown), Some(fence)) = (shown, fence) else { return Err("it lacks its key or its fence") };
    if shown != key.to_string() {
        return Err("it is the record of another key");
    }
    // Compared as a whole: so nothing can be added, left out or written in another way.
    if encode(key, Fence(fence)) == text { Ok(Fence(fence)) } else { Err("its checksum is wrong") }
}

/// Bytes as hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}"); // a String takes all
        text
    })
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn key() -> Key {
        Key::new(b"nightly/clean").expect("a key")
    }

    #[test]
    fn a_record_can_be_read_by_people_and_checked_by_a_program_that_everybody_has() {
        let expected = expect![[r#"
            antfarm fence 1
            key nightly/clean
            fence 4711
            sha256 0fc2250a911650ac187eeda061df90e0ba1fa9ca2158d828dc42c73437047476
        "#]];
        expected.assert_eq(&encode(&key(), Fence(4711)));
        assert_eq!(decode(&key(), encode(&key(), Fence(u64::MAX)).as_bytes()), Ok(Fence(u64::MAX)));
    }

    #[test]
    fn no_changed_byte_and_no_missing_end_is_overlooked() {
        let whole = encode(&key(), Fence(4711)).into_bytes();
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut changed = whole.clone();
                changed[at] ^= 1 << bit;
                assert!(decode(&key(), &changed).is_err(), "bit {bit} of byte {at}");
            }
            assert!(decode(&key(), &whole[..at]).is_err(), "cut at {at}");
        }
        assert!(decode(&key(), &[&whole[..], b"\n"].concat()).is_err());
        assert_eq!(decode(&Key::new(b"other").expect("a key"), &whole), Err("it is the record of another key"));
    }

    #[test]
    fn the_longest_key_fits() {
        let key = Key::new(&[0xff; Key::MAX_BYTES]).expect("a key");
        assert!(encode(&key, Fence(u64::MAX)).len() <= MAX_BYTES);
    }
}
