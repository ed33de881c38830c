//! Ranges: in binary frames, messages about neighbours that differ in nothing else are one.

use std::sync::Arc;

use antfarm_model::{CostClass, EffectClass, Epoch, Fence, GraphNo, Incarnation, Name, NodeNo};
use antfarm_protocol::{
    Assign, AttemptRef, Codec, DecodeError, ForagerMessage, JsonText, MAX_MESSAGES, Outcome, QueenMessage, TaskResult,
    Work,
};

const LIMIT: usize = 4 << 20;

fn attempt(index: u32) -> AttemptRef {
    AttemptRef { graph: GraphNo(1), node: NodeNo(2), index, fence: Fence(9) }
}

fn result(index: u32, json: &str) -> TaskResult {
    let result = JsonText::new(json).expect("JSON");
    TaskResult { attempt: attempt(index), outcome: Outcome::Succeeded { result } }
}

fn assign(index: u32) -> Assign {
    let name = |text| Name::new(text).expect("a name");
    let work = Work {
        graph_id: name("g"),
        node_id: name("n"),
        array: true,
        tool: name("t"),
        effects: EffectClass::Pure,
        class: CostClass::Cpu,
        args: JsonText::null(),
        timeout_ms: 1_000,
    };
    Assign {
        epoch: Epoch(3),
        incarnation: Incarnation(4),
        attempt: attempt(index),
        attempt_number: 1,
        deadline_ms: None,
        work: Arc::new(work),
    }
}

fn bytes<M: antfarm_protocol::Message>(messages: &[M]) -> Vec<u8> {
    let frames = Codec::Binary.encode(messages, LIMIT).expect("they are small");
    let [frame] = &frames[..] else { panic!("they need one frame") };
    frame.as_bytes().to_vec()
}

/// Whether the messages are one in a binary frame; they come back as they were.
fn is_one<M: antfarm_protocol::Message + Clone + PartialEq + std::fmt::Debug>(messages: &[M]) -> bool {
    let together = bytes(messages);
    assert_eq!(Codec::Binary.decode::<M>(&together, LIMIT).as_deref(), Ok(messages));
    let apart: usize = messages.iter().map(|message| bytes(std::slice::from_ref(message)).len()).sum();
    together.len() < apart / messages.len() + 8
}

#[test]
fn what_is_said_of_neighbours_is_said_once() {
    let orders: Vec<QueenMessage> = (5..900).map(|index| assign(index).into()).collect();
    assert!(is_one(&orders));
    let reports: Vec<ForagerMessage> = (5..900).map(|index| result(index, "[1, 2, 3]").into()).collect();
    assert!(is_one(&reports));
}

#[test]
fn what_differs_stays_apart() {
    let others = [
        Assign { epoch: Epoch(4), ..assign(6) },
        Assign { incarnation: Incarnation(5), ..assign(6) },
        Assign { attempt: attempt(7), ..assign(6) },
        Assign { attempt: AttemptRef { fence: Fence(10), ..attempt(6) }, ..assign(6) },
        Assign { attempt: AttemptRef { node: NodeNo(3), ..attempt(6) }, ..assign(6) },
        Assign { attempt_number: 2, ..assign(6) },
        Assign { deadline_ms: Some(1), ..assign(6) },
        Assign { work: Arc::new(Work { timeout_ms: 1, ..(*assign(6).work).clone() }), ..assign(6) },
    ];
    for other in others {
        assert!(!is_one::<QueenMessage>(&[assign(5).into(), other.clone().into()]), "{other:?}");
    }
    for other in [result(6, "2"), result(4, "1"), result(5, "1")] {
        assert!(!is_one::<ForagerMessage>(&[result(5, "1").into(), other.clone().into()]), "{other:?}");
    }
}

#[test]
fn a_range_that_is_none_or_passes_its_frame_is_refused() {
    let longest: Vec<ForagerMessage> = (0..MAX_MESSAGES).map(|index| result(index as u32, "1").into()).collect();
    let whole = bytes(&longest);
    assert!(is_one(&longest));
    // `[kind, version, version] [variant] [graph, node, index, fence] [252, count as u32] …`
    let count = whole.windows(3).position(|window| window == [251, 0, 64]).expect("it holds the count 16,384") + 1;
    let with = |bytes: [u8; 2]| [&whole[..count], &bytes[..], &whole[count + 2..]].concat();
    let more = Codec::Binary.decode::<ForagerMessage>(&with([1, 64]), LIMIT).expect_err("one more than fits");
    assert!(matches!(more, DecodeError::Unbounded(_)), "{more}");
    let none = Codec::Binary.decode::<ForagerMessage>(&with([0, 0]), LIMIT).expect_err("no range is empty");
    assert_eq!(none, DecodeError::Malformed);
    let mut last = bytes::<ForagerMessage>(&[result(u32::MAX, "1").into()]);
    let count = last.windows(2).position(|window| window == [9, 1]).expect("it holds the fence and the count") + 1;
    last[count] = 2;
    let beyond = Codec::Binary.decode::<ForagerMessage>(&last, LIMIT).expect_err("no index is beyond the last");
    assert_eq!(beyond, DecodeError::Malformed);
}

#[test]
fn several_frames_are_filled_in_order() {
    let messages: Vec<ForagerMessage> = (0..MAX_MESSAGES + 2).map(|index| result(index as u32, "1").into()).collect();
    let frames = Codec::Binary.encode(&messages, LIMIT).expect("they are small");
    let read = frames.iter().flat_map(|frame| {
        Codec::Binary.decode::<ForagerMessage>(frame.as_bytes(), LIMIT).expect("it was just written")
    });
    assert_eq!(read.collect::<Vec<_>>(), messages);
    assert_eq!(frames.len(), 2);
}
