//! Frames, lists and versions at and beyond their bounds.

use antfarm_model::{Epoch, Fence, GraphNo, NodeNo};
use antfarm_protocol::{
    Accept, AttemptRef, Cancelled, Codec, Confirmed, DecodeError, EncodeError, ForagerMessage, JsonText, MAX_ATTEMPTS,
    MAX_MESSAGES, Outcome, QueenMessage, RunningDigest, TaskResult,
};

const LIMIT: usize = 4 << 20;

fn attempt(fence: u64) -> AttemptRef {
    AttemptRef { graph: GraphNo(1), node: NodeNo(2), index: 3, fence: Fence(fence) }
}

fn cancelled(fence: u64) -> ForagerMessage {
    Cancelled { attempt: attempt(fence), started: true }.into()
}

#[test]
fn messages_that_do_not_fit_into_one_frame_go_into_several_in_order() {
    let messages: Vec<_> = (0..1_000).map(cancelled).collect();
    for codec in Codec::ALL {
        let frames = codec.encode(&messages, 1_000).expect("each message is small");
        assert!(frames.len() > 1);
        assert!(frames.iter().all(|frame| frame.as_bytes().len() <= 1_000));
        let read = frames.iter().flat_map(|frame| codec.decode(frame.as_bytes(), 1_000).expect("it was just written"));
        assert_eq!(read.collect::<Vec<ForagerMessage>>(), messages);
    }
}

#[test]
fn nothing_to_say_is_no_frame() {
    for codec in Codec::ALL {
        assert_eq!(codec.encode::<ForagerMessage>(&[], LIMIT), Ok(Vec::new()));
    }
}

#[test]
fn a_message_larger_than_a_frame_is_not_sent() {
    let result = JsonText::new(format!("{:?}", "x".repeat(2_000))).expect("a string is JSON");
    let large = TaskResult { attempt: attempt(1), outcome: Outcome::Succeeded { result } }.into();
    let messages = [cancelled(1), large, cancelled(2)];
    for codec in Codec::ALL {
        let error = codec.encode(&messages, 1_000).expect_err("it is too large");
        assert!(matches!(error, EncodeError::TooLarge { kind: "task.result", limit: 1_000, .. }), "{error}");
    }
}

#[test]
fn a_frame_larger_than_allowed_is_not_read() {
    for codec in Codec::ALL {
        let frames = codec.encode(&[cancelled(1)], LIMIT).expect("it is small");
        let bytes = frames[0].as_bytes();
        assert!(codec.decode::<ForagerMessage>(bytes, bytes.len()).is_ok());
        let error = codec.decode::<ForagerMessage>(bytes, bytes.len() - 1).expect_err("it is too large");
        assert!(matches!(error, DecodeError::TooLarge { .. }), "{error}");
    }
}

#[test]
fn the_longest_list_fits_into_a_frame_and_a_longer_one_is_refused_by_both_ends() {
    let attempts = |count: usize| (0..count as u64).map(|fence| attempt(u64::MAX - fence)).collect::<Vec<_>>();
    let longest = Accept { attempts: attempts(MAX_ATTEMPTS) }.into();
    let longer = Accept { attempts: attempts(MAX_ATTEMPTS + 1) }.into();
    for codec in Codec::ALL {
        assert_eq!(
            codec.encode::<ForagerMessage>(std::slice::from_ref(&longest), LIMIT).map(|frames| frames.len()),
            Ok(1)
        );
        let error = codec.encode::<ForagerMessage>(std::slice::from_ref(&longer), LIMIT).expect_err("it is too long");
        assert!(matches!(error, EncodeError::Unbounded { .. }), "{error}");
    }
    let text = serde_json::to_string(&longer).expect("messages are JSON");
    let error = Codec::Json.decode::<ForagerMessage>(text.as_bytes(), LIMIT).expect_err("it is too long");
    assert!(matches!(error, DecodeError::Unbounded(_)), "{error}");
}

#[test]
fn a_frame_of_too_many_messages_is_refused() {
    let messages: Vec<_> = (0..=MAX_MESSAGES as u64).map(cancelled).collect();
    for codec in Codec::ALL {
        let frames = codec.encode(&messages, LIMIT).expect("each message is small");
        assert_eq!(frames.len(), 2, "the last message goes into a frame of its own");
    }
    let text = serde_json::to_string(&messages).expect("messages are JSON");
    Codec::Json.decode::<ForagerMessage>(text.as_bytes(), LIMIT).expect_err("one message too many");
    let frames = Codec::Binary.encode(&messages, LIMIT).expect("each message is small");
    let joined = [frames[0].as_bytes(), &frames[1].as_bytes()[3..]].concat();
    let error = Codec::Binary.decode::<ForagerMessage>(&joined, LIMIT).expect_err("one message too many");
    assert!(matches!(error, DecodeError::Unbounded(_)), "{error}");
}

#[test]
fn the_other_direction_and_another_version_are_named() {
    let frames = Codec::Binary.encode(&[cancelled(1)], LIMIT).expect("it is small");
    let error = Codec::Binary.decode::<QueenMessage>(frames[0].as_bytes(), LIMIT).expect_err("a forager sent it");
    assert_eq!(error, DecodeError::WrongKind { expected: 2, found: 1, from: "queen" });
    let mut newer = frames[0].as_bytes().to_vec();
    newer[1] = 2;
    let error = Codec::Binary.decode::<ForagerMessage>(&newer, LIMIT).expect_err("it is newer");
    assert_eq!(error, DecodeError::Version { found: 2, known: 1 });
    let error = Codec::Json.decode::<ForagerMessage>(br#"{"type": "task.dance"}"#, LIMIT).expect_err("no such type");
    assert_eq!(error, DecodeError::UnknownType("task.dance".into()));
}

#[test]
fn a_result_that_is_no_json_is_refused_in_binary_too() {
    let result = JsonText::new("12345").expect("a number is JSON");
    let message = TaskResult { attempt: attempt(1), outcome: Outcome::Succeeded { result } }.into();
    let frames = Codec::Binary.encode::<ForagerMessage>(&[message], LIMIT).expect("it is small");
    let mut bytes = frames[0].as_bytes().to_vec();
    let last = bytes.len() - 1;
    bytes[last] = b'x';
    let error = Codec::Binary.decode::<ForagerMessage>(&bytes, LIMIT).expect_err("12x is no JSON");
    assert!(matches!(error, DecodeError::Json(_)), "{error}");
}

#[test]
fn json_keeps_its_text_and_a_null_result_is_a_result() {
    for (codec, text) in Codec::ALL
        .into_iter()
        .flat_map(|codec| ["null", "[1.50, 1e3]", "18446744073709551615"].map(|text| (codec, text)))
    {
        let result = JsonText::new(text).expect("it is JSON");
        let message: ForagerMessage = TaskResult { attempt: attempt(1), outcome: Outcome::Succeeded { result } }.into();
        let frames = codec.encode(std::slice::from_ref(&message), LIMIT).expect("it is small");
        assert_eq!(codec.decode(frames[0].as_bytes(), LIMIT), Ok(vec![message]));
    }
}

#[test]
fn what_a_json_message_does_not_know_is_ignored_and_what_it_lacks_is_named() {
    let text = br#"[{"type": "task.confirmed", "epoch": 7, "attempts": [], "colour": {"r": 1}}]"#;
    let confirmed = Confirmed { epoch: Epoch(7), attempts: Vec::new() };
    assert_eq!(Codec::Json.decode(text, LIMIT), Ok(vec![QueenMessage::Confirmed(confirmed)]));
    let lacking = br#"{"type": "task.confirmed", "attempts": []}"#;
    let error = Codec::Json.decode::<QueenMessage>(lacking, LIMIT).expect_err("the epoch is missing");
    assert!(error.to_string().contains("task.confirmed: missing field `epoch`"), "{error}");
}

#[test]
fn the_binary_subprotocol_is_preferred() {
    assert_eq!(Codec::choose("antfarm.v1.json, antfarm.v1.bin"), Some(Codec::Binary));
    assert_eq!(Codec::choose("chat, antfarm.v1.json"), Some(Codec::Json));
    assert_eq!(Codec::choose("antfarm.v2.json"), None);
}

#[test]
fn a_digest_follows_its_set_in_any_order() {
    let (one, two) = (attempt(1), attempt(2));
    let mut digest = RunningDigest::default();
    digest.toggle(&one);
    digest.toggle(&two);
    assert_eq!(digest, [&two, &one].into_iter().collect());
    assert_ne!(digest, [&one].into_iter().collect());
    digest.toggle(&two);
    digest.toggle(&one);
    assert_eq!(digest.value(), 0);
}
