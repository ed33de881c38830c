//! Hostile bytes for the record of a fence.

use antfarm_fuzzing::Target;
use antfarm_model::Fence;
use sha2::{Digest, Sha256};

use super::Key;
use super::record::{decode, encode, hex};

/// Gives a record the checksum that it should have.
fn mend(bytes: &mut Vec<u8>) {
    let end = bytes.windows(7).rposition(|window| window == b"sha256 ").unwrap_or(bytes.len());
    bytes.truncate(end);
    let line = format!("sha256 {}\n", hex(&Sha256::digest(&*bytes)));
    bytes.extend_from_slice(line.as_bytes());
}

#[test]
fn records_of_fences() {
    let key = Key::new(b"nightly/clean").expect("a key");
    Target::new(env!("CARGO_MANIFEST_DIR"), "records_of_fences")
        .sample(encode(&key, Fence(4_711)))
        .tokens(&["antfarm fence 2", "key ", "fence ", "\n", "+4711", "18446744073709551616"])
        .repaired_by(mend)
        .run(|bytes| decode(&key, bytes).ok(), |bytes, fence| assert_eq!(encode(&key, fence).as_bytes(), bytes));
}
