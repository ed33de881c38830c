//! Holds the examples of `DESIGN.md` to both encodings, and both encodings to the bytes that they once had.

use std::collections::BTreeSet;
use std::fmt::{Debug, Write as _};

use antfarm_protocol::{Codec, ForagerMessage, Frame, LARGEST_FRAME_BYTES, Message, QueenMessage};
use expect_test::expect_file;
use serde_json::Value;

const PAGE: &str = include_str!("../DESIGN.md");

/// The JSON blocks of one half of the page.
fn examples(heading: &str) -> Vec<String> {
    let (_, rest) = PAGE.split_once(&format!("\n## {heading}\n")).expect("the heading is there");
    let section = rest.split("\n## ").next().unwrap_or(rest);
    let blocks = section.split("```json\n").skip(1);
    blocks.map(|block| block.split("```").next().unwrap_or(block).to_owned()).collect()
}

/// A line for each example: its exact JSON and its binary frame.
fn golden<M: Message + Debug + PartialEq>(heading: &str) -> (String, BTreeSet<String>) {
    let (mut lines, mut types) = (String::new(), BTreeSet::new());
    for example in examples(heading) {
        let messages: Vec<M> = Codec::Json.decode(example.as_bytes(), LARGEST_FRAME_BYTES).expect(&example);
        for codec in Codec::ALL {
            let [frame] = &codec.encode(&messages, LARGEST_FRAME_BYTES).expect("it is small")[..] else {
                panic!("one message needs one frame")
            };
            assert_eq!(codec.decode::<M>(frame.as_bytes(), LARGEST_FRAME_BYTES).as_ref(), Ok(&messages));
            match frame {
                Frame::Text(text) => {
                    let page: Value = serde_json::from_str(&example).expect("it was decoded before");
                    let real: Value = serde_json::from_str(text).expect("JSON is JSON");
                    assert_eq!(page, real, "the page and the encoding differ");
                    types.insert(page["type"].as_str().expect("every message has a type").to_owned());
                    writeln!(lines, "{text}").expect("strings take everything");
                }
                Frame::Binary(bytes) => {
                    bytes.iter().try_for_each(|byte| write!(lines, "{byte:02x}")).expect("strings take everything");
                    lines.push('\n');
                }
            }
        }
    }
    (lines, types)
}

#[test]
fn the_page_shows_what_a_forager_really_sends() {
    let (lines, types) = golden::<ForagerMessage>("From the forager");
    expect_file!["./golden/from_forager.txt"].assert_eq(&lines);
    assert_eq!(types.len(), 8, "an example for each type: {types:?}");
}

#[test]
fn the_page_shows_what_a_queen_really_sends() {
    let (lines, types) = golden::<QueenMessage>("From the queen");
    expect_file!["./golden/from_queen.txt"].assert_eq(&lines);
    assert_eq!(types.len(), 8, "an example for each type: {types:?}");
}

#[test]
fn no_damaged_frame_is_more_than_refused() {
    for (codec, heading) in
        Codec::ALL.into_iter().flat_map(|codec| [(codec, "From the forager"), (codec, "From the queen")])
    {
        for example in examples(heading) {
            if heading == "From the forager" {
                damage::<ForagerMessage>(codec, &example);
            } else {
                damage::<QueenMessage>(codec, &example);
            }
        }
    }
}

/// Cuts a frame everywhere, and changes each of its bytes: nothing panics, and what still decodes encodes again.
fn damage<M: Message + Debug + PartialEq>(codec: Codec, example: &str) {
    let messages: Vec<M> = Codec::Json.decode(example.as_bytes(), LARGEST_FRAME_BYTES).expect(example);
    let frames = codec.encode(&messages, LARGEST_FRAME_BYTES).expect("it is small");
    let whole = frames[0].as_bytes();
    let header = if codec == Codec::Binary { 3 } else { 0 };
    for end in header + 1..whole.len() {
        codec.decode::<M>(&whole[..end], LARGEST_FRAME_BYTES).expect_err("a cut frame is refused");
    }
    for at in 0..whole.len() {
        for change in [0x01, 0x80, 0xff] {
            let mut bytes = whole.to_vec();
            bytes[at] ^= change;
            if let Ok(messages) = codec.decode::<M>(&bytes, LARGEST_FRAME_BYTES) {
                codec.encode(&messages, LARGEST_FRAME_BYTES).expect("what was read can be written");
            }
        }
    }
    let trailing = [whole, &[0xff]].concat();
    codec.decode::<M>(&trailing, LARGEST_FRAME_BYTES).expect_err("trailing bytes are refused");
}
