//! The same values as bincode's own reading, in less memory.

use std::collections::BTreeMap;

use antfarm_fuzzing::Target;
use serde::{Deserialize, Serialize};

use super::*;

/// One of everything that serde knows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Everything {
    Unit,
    Newtype(Box<str>),
    Tuple(bool, u8, i64, f32, char),
    Struct { text: String, bytes: Vec<u8>, list: Vec<u64>, map: BTreeMap<String, u16>, option: Option<(u32, u128)> },
    List(Vec<(u8, Option<Box<str>>)>),
}

fn all() -> Vec<Everything> {
    let one = Everything::Struct {
        text: "text".into(),
        bytes: vec![1, 2, 255],
        list: vec![1, 1 << 40],
        map: [("a".to_owned(), 1), ("b".to_owned(), 300)].into(),
        option: Some((70_000, 1 << 100)),
    };
    let tuple = Everything::Tuple(true, 9, -3, 1.5, 'ä');
    let list = Everything::List(vec![(7, None), (8, Some("y".into()))]);
    vec![Everything::Unit, Everything::Newtype("x".into()), tuple, one, list]
}

fn theirs<T: DeserializeOwned>(bytes: &[u8]) -> Option<(T, usize)> {
    bincode::serde::decode_from_slice(bytes, bincode::config::standard().with_limit::<65_536>()).ok()
}

#[test]
fn what_was_written_is_read_and_nothing_may_follow() {
    for value in all() {
        let mut bytes = encode(&value);
        assert_eq!(decode::<Everything>(&bytes).as_ref(), Some(&value));
        assert_eq!(decode_first::<Everything>(&bytes), theirs(&bytes));
        bytes.push(0);
        assert_eq!(decode::<Everything>(&bytes), None);
        assert_eq!(decode_first::<Everything>(&bytes), Some((value, bytes.len() - 1)));
    }
}

#[test]
fn hostile_bytes_are_read_as_bincode_reads_them_or_refused() {
    let target = Target::new(env!("CARGO_MANIFEST_DIR"), "everything").samples(all().iter().map(encode));
    // Two bytes for each element, which is 24 in memory, three times while the list grows.
    let dense = |elements| encode(&Everything::List(vec![(0, None); elements]));
    target.takes(36).dense(dense).run(decode_first::<Everything>, |bytes, read| {
        if bytes.len() < 8_000 {
            // Compared as text, in which a number that is none equals itself.
            assert_eq!(Some(format!("{read:?}")), theirs::<Everything>(bytes).map(|read| format!("{read:?}")));
        }
        let (value, consumed) = read;
        assert!(encode(&value).len() <= consumed, "written, it is not longer than it was");
    });
}

#[test]
fn a_text_and_a_list_that_claim_much_take_little() {
    let claims = |bytes: &[u8]| [bytes, &[253, 255, 255, 255, 0, 0, 0, 0, 0]].concat();
    let target = Target::new(env!("CARGO_MANIFEST_DIR"), "claims").sample(encode("text"));
    target.dense(move |_| claims(b"")).run(decode::<String>, |_, _| ());
    assert_eq!(decode::<Vec<[u64; 16]>>(&claims(b"")), None);
}
