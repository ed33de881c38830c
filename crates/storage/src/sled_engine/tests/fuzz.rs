//! Hostile bytes for what stands in sled.

use antfarm_fuzzing::Target;

use crate::acknowledged;
use crate::error::Item;
use crate::sled_engine::value::{self, PieceHead};

const FOLDER: &str = env!("CARGO_MANIFEST_DIR");

/// Gives a value of the vote the checksum that it should have.
fn mend(bytes: &mut Vec<u8>) {
    let content = bytes.split_off(bytes.len().min(5));
    *bytes = value::encode(value::VOTE_KEY, &content);
}

#[test]
fn values_and_keys() {
    let head = PieceHead::of(b"a record");
    Target::new(FOLDER, "values_and_keys")
        .sample(value::encode(value::VOTE_KEY, &head.with(b"a record")))
        .sample(value::encode(value::VOTE_KEY, b""))
        .repaired_by(mend)
        .run(
            |bytes| {
                let _ = (value::piece_of(bytes), value::fact_of(bytes));
                let content = value::decode(value::VOTE_KEY, bytes, Item::Vote).ok()?;
                Some((content.to_vec(), PieceHead::split(content).map(|(head, piece)| head.with(piece))))
            },
            |bytes, (content, again)| {
                assert_eq!(value::encode(value::VOTE_KEY, &content), bytes);
                assert!(again.is_none_or(|again| again == content));
            },
        );
}

#[test]
fn numbers_of_acknowledged_writes() {
    Target::new(FOLDER, "numbers_of_acknowledged_writes")
        .sample(acknowledged::encode(4_711))
        .run(|bytes| acknowledged::decode(bytes).ok(), |bytes, number| assert_eq!(acknowledged::encode(number), bytes));
}
