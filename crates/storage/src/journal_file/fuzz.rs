//! Hostile bytes for a journal.

use std::path::Path;

use antfarm_fuzzing::Target;

use super::format::{MARK_BYTES, decode, encode, mark};

const HEAD_BYTES: usize = 13;

/// A journal of which so much was synced.
fn journal(records: &[&[u8]], synced: u64) -> Vec<u8> {
    let mut bytes = mark(synced).to_vec();
    for record in records {
        bytes.extend(encode(bytes.len() as u64, record).expect("it is short"));
    }
    bytes
}

/// Gives the mark and every record the checksums, and the last record the length, that it should have.
#[expect(clippy::ptr_arg, reason = "a target's repair may change the length")]
fn mend(bytes: &mut Vec<u8>) {
    if let Some(synced) = bytes.get(8..MARK_BYTES).and_then(|synced| synced.try_into().ok()).map(u64::from_le_bytes) {
        let mended = mark(synced % (bytes.len() as u64 + 1));
        bytes[..MARK_BYTES].copy_from_slice(&mended);
    }
    let mut offset = MARK_BYTES;
    while bytes.len() >= offset + HEAD_BYTES {
        let stated = bytes[offset + 1..offset + 5].try_into().map_or(0, u32::from_le_bytes) as usize;
        let length = stated.min(bytes.len() - offset - HEAD_BYTES);
        let crc = |bytes: &[u8]| crc32c::crc32c_append(crc32c::crc32c(&(offset as u64).to_le_bytes()), bytes);
        let content = crc(&bytes[offset + HEAD_BYTES..][..length]).to_le_bytes();
        bytes[offset + 1..offset + 5].copy_from_slice(&u32::try_from(length).expect("short").to_le_bytes());
        bytes[offset + 5..offset + 9].copy_from_slice(&content);
        let head = crc(&bytes[offset..offset + 9]).to_le_bytes();
        bytes[offset + 9..offset + 13].copy_from_slice(&head);
        offset += HEAD_BYTES + length;
    }
}

#[test]
fn journals() {
    let path = Path::new("/f/journal");
    Target::new(env!("CARGO_MANIFEST_DIR"), "journals")
        .sample(journal(&[b"one", b"", b"three"], 32))
        .sample([journal(&[b"one"], 16), vec![0; 40]].concat())
        .repaired_by(mend)
        // The records are copies; an empty one has a head of 13 bytes, and a list three times 24 for it.
        .takes(7)
        .dense(|elements| journal(&vec![&b""[..]; elements], 16))
        .run(
            |bytes| decode(path, bytes).ok(),
            |bytes, found| {
                let records: Vec<&[u8]> = found.records.iter().map(Vec::as_slice).collect();
                let again = journal(&records, found.synced);
                assert_eq!(again, bytes[..found.whole], "whole records are written as they were");
            },
        );
}
