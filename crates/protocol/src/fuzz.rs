//! Hostile bytes for both encodings, in both directions.

use std::fmt::Debug;

use antfarm_fuzzing::Target;

use crate::{Codec, ForagerMessage, JsonText, LARGEST_FRAME_BYTES, MAX_MESSAGES, Message, QueenMessage};

/// What ranges may become, however short they are: a frame full of messages, in a list that grows.
const fn ranges<M>() -> usize {
    GROWTH * MAX_MESSAGES * size_of::<M>()
}

/// A list that grows is there twice, once of them with room for as much again.
const GROWTH: usize = 3;

const FOLDER: &str = env!("CARGO_MANIFEST_DIR");
const FROM_FORAGER: &str = include_str!("../tests/golden/from_forager.txt");
const FROM_QUEEN: &str = include_str!("../tests/golden/from_queen.txt");

const TOKENS: &[&str] = &[
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "null",
    "true",
    "\"type\":",
    "\"attempts\":[",
    "\"graph\":",
    "\"\\u0000\"",
    "\\ud800",
    "\"task.accept\"",
    "\"task.assign\"",
    "\"forager.hello\"",
    " ",
];

fn in_json(golden: &str) -> impl Iterator<Item = &str> {
    golden.lines().filter(|line| line.starts_with('{'))
}

fn in_binary(golden: &str) -> impl Iterator<Item = Vec<u8>> {
    golden.lines().filter(|line| !line.starts_with('{')).map(|line| {
        let digits = (0..line.len()).step_by(2).map(|at| u8::from_str_radix(&line[at..at + 2], 16));
        digits.collect::<Result<_, _>>().expect("golden lines are JSON or hexadecimal")
    })
}

/// Many of one thing, as an array.
fn array(before: &str, element: &str, behind: &str, elements: usize) -> Vec<u8> {
    format!("{before}{}{behind}", vec![element; elements].join(",")).into()
}

/// What was read can be written in both encodings, and is then read as the same.
fn is_the_same_again<M: Message + Debug + PartialEq>(messages: &[M]) {
    for codec in Codec::ALL {
        let frames = codec.encode(messages, LARGEST_FRAME_BYTES).expect("what was read can be written");
        let read = frames.iter().flat_map(|frame| codec.decode::<M>(frame.as_bytes(), LARGEST_FRAME_BYTES));
        assert_eq!(read.flatten().collect::<Vec<_>>(), messages, "{codec:?}");
    }
}

fn decode<M: Message>(codec: Codec) -> impl Fn(&[u8]) -> Option<Vec<M>> + Sync {
    move |bytes| codec.decode(bytes, LARGEST_FRAME_BYTES).ok()
}

#[test]
fn forager_messages_in_json() {
    let attempt = r#"{"graph":1,"node":1,"index":1,"fence":1}"#;
    Target::new(FOLDER, "forager_messages_in_json")
        .samples(in_json(FROM_FORAGER))
        .sample(array("[", FROM_FORAGER.lines().nth(3).expect("two lines for each message"), "]", 2))
        .tokens(TOKENS)
        .takes((GROWTH * size_of::<ForagerMessage>()).div_ceil(36))
        .dense(|elements| array("[", "1", "]", elements))
        .dense(|elements| array("[", r#"{"type":"task.accept","attempts":[]}"#, "]", elements))
        .dense(move |elements| array(r#"{"type":"task.accept","attempts":["#, attempt, "]}", elements))
        .run(decode::<ForagerMessage>(Codec::Json), |_, messages| is_the_same_again(&messages));
}

#[test]
fn forager_messages_in_binary() {
    Target::new(FOLDER, "forager_messages_in_binary")
        .samples(in_binary(FROM_FORAGER))
        .takes((GROWTH * size_of::<ForagerMessage>()).div_ceil(2))
        .beside(ranges::<ForagerMessage>())
        .dense(|elements| [&[1, 1, 0][..], &[2, 0].repeat(elements)].concat())
        .dense(|elements| {
            [&[1, 1, 0, 2, 252][..], &u32::try_from(elements).expect("few").to_le_bytes(), &[0; 4].repeat(elements)]
                .concat()
        })
        .run(decode::<ForagerMessage>(Codec::Binary), |_, messages| is_the_same_again(&messages));
}

#[test]
fn queen_messages_in_json() {
    let attempt = r#"{"graph":1,"node":1,"index":1,"fence":1}"#;
    Target::new(FOLDER, "queen_messages_in_json")
        .samples(in_json(FROM_QUEEN))
        .tokens(TOKENS)
        .takes((GROWTH * size_of::<QueenMessage>()).div_ceil(49))
        .dense(|elements| array("[", r#"{"type":"task.confirmed","epoch":1,"attempts":[]}"#, "]", elements))
        .dense(move |elements| array(r#"{"type":"task.confirmed","epoch":1,"attempts":["#, attempt, "]}", elements))
        .run(decode::<QueenMessage>(Codec::Json), |_, messages| is_the_same_again(&messages));
}

#[test]
fn queen_messages_in_binary() {
    Target::new(FOLDER, "queen_messages_in_binary")
        .samples(in_binary(FROM_QUEEN))
        .takes((GROWTH * size_of::<QueenMessage>()).div_ceil(3))
        .beside(ranges::<QueenMessage>())
        .dense(|elements| [&[2, 1, 0][..], &[4, 1, 0].repeat(elements)].concat())
        .run(decode::<QueenMessage>(Codec::Binary), |_, messages| is_the_same_again(&messages));
}

#[test]
fn json_that_is_passed_on() {
    Target::new(FOLDER, "json_that_is_passed_on")
        .sample(r#" {"a": [1, -2.5e3, true, null, "\u00e4\n"]} "#)
        .tokens(TOKENS)
        .takes(GROWTH + 1)
        .dense(|elements| "[".repeat(elements).into())
        .run(
            |bytes| JsonText::new(std::str::from_utf8(bytes).ok()?).ok(),
            |bytes, text| assert_eq!(text.as_str().as_bytes(), bytes),
        );
}
