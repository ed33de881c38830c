//! Hostile bytes for what peers send.

use antfarm_fuzzing::Target;
use bytes::Bytes;
use futures_util::FutureExt as _;

use super::frame::FrameReader;
use super::hello::{HelloV1, WelcomeV1};
use super::wire::{
    AppendAnswerV1, AppendV1, LifeV1, Request, Response, SnapshotEndV1, StatementV1, StatusV1, TransferAnswerV1,
    TransferV1, VoteAnswerV1, VoteRequestV1,
};
use crate::codec::{self, Kind};
use crate::fuzz::{FOLDER, GROWTH, decode, head, is_the_same_again};
use crate::record::{self, LogIdV1, VoteV1};
use crate::types::{SnapshotMeta, Vote, log_id};

fn append(entries: Vec<Bytes>) -> Request {
    let (vote, last) = (VoteV1::from(Vote::new(7, 2)), Some(LogIdV1::from(log_id(6, 300))));
    Request::Append(AppendV1 { vote, previous: last, committed: None, first_index: 301, entries })
}

#[test]
fn requests_of_peers() {
    let (vote, last) = (VoteV1::from(Vote::new(7, 2)), Some(LogIdV1::from(log_id(6, 300))));
    let ask = VoteRequestV1 { vote, last, leadership_transfer: true };
    let requests = [
        append(vec![Bytes::from_static(b"one"), Bytes::new()]),
        Request::Vote(ask),
        Request::PreVote(ask),
        Request::Transfer(TransferV1 { from: vote, to: 3, last }),
        Request::Status,
        Request::SnapshotBegin(head()),
        Request::SnapshotChunk(Bytes::from_static(b"part")),
        Request::SnapshotEnd(SnapshotEndV1 { vote, bytes: 4, crc: 5 }),
        Request::Life,
        Request::Gone(StatementV1 { vote, last }),
    ];
    Target::new(FOLDER, "requests_of_peers")
        .samples(requests.iter().map(|request| codec::encode(Kind::Request, request)))
        .takes(GROWTH * size_of::<Bytes>())
        .dense(|elements| codec::encode(Kind::Request, &append(vec![Bytes::new(); elements])))
        .dense(|elements| codec::encode(Kind::Request, &Request::SnapshotChunk(vec![0; elements].into())))
        .run(decode(Kind::Request), |_, request: Request| {
            is_the_same_again(Kind::Request, &request);
            match request {
                Request::Append(append) => {
                    for (index, entry) in (append.first_index..u64::MAX).zip(&append.entries) {
                        let _ = record::decode_entry(index, entry);
                    }
                }
                Request::SnapshotBegin(head) => drop(SnapshotMeta::try_from(head)),
                Request::Vote(_)
                | Request::PreVote(_)
                | Request::Transfer(_)
                | Request::Status
                | Request::SnapshotChunk(_)
                | Request::SnapshotEnd(_)
                | Request::Life
                | Request::Gone(_) => {}
            }
        });
}

#[test]
fn responses_of_peers() {
    let (vote, last) = (VoteV1::from(Vote::new_committed(7, 2)), Some(LogIdV1::from(log_id(6, 300))));
    let status = |members| StatusV1 { initialised: true, initial_members: members, wall_ms: 9 };
    let responses = [
        Response::Append(AppendAnswerV1::PartialSuccess(last)),
        Response::Append(AppendAnswerV1::HigherVote(vote)),
        Response::Vote(VoteAnswerV1 { vote, granted: true, last }),
        Response::Transfer(TransferAnswerV1::VoteChanged { expected: vote, actual: vote }),
        Response::Transfer(TransferAnswerV1::LogNotFlushed { expected: last, actual: None }),
        Response::Status(status(vec![1, 2, 3])),
        Response::GoOn,
        Response::Installed { vote },
        Response::Failed,
        Response::Life(LifeV1 { began_after_term: 7 }),
    ];
    Target::new(FOLDER, "responses_of_peers")
        .samples(responses.iter().map(|response| codec::encode(Kind::Response, response)))
        .takes(GROWTH * size_of::<u64>())
        .dense(move |elements| codec::encode(Kind::Response, &Response::Status(status(vec![0; elements]))))
        .run(decode(Kind::Response), |_, response: Response| is_the_same_again(Kind::Response, &response));
}

#[test]
fn greetings_of_peers() {
    let hello = [&[16, 1, 0][..], b"ANTFQUEN", &[1, 4], b"ants", &[1, 2, 251, 44, 1, 2]].concat();
    let welcomes =
        [&[17, 1, 0, 0, 2, 7][..], &[17, 1, 0, 1, 2, 1], &[17, 1, 0, 1, 0, 1, b'a', 1, b'b'], &[17, 1, 0, 1, 4]];
    Target::new(FOLDER, "greetings_of_peers").sample(hello).samples(welcomes).run(
        |bytes| {
            let hello = codec::decode::<HelloV1>(Kind::Hello, bytes).ok();
            let welcome = codec::decode::<WelcomeV1>(Kind::Welcome, bytes).ok();
            (hello.is_some() || welcome.is_some()).then_some((hello, welcome))
        },
        |_, (hello, welcome)| {
            if let Some(hello) = hello {
                is_the_same_again(Kind::Hello, &hello);
            }
            if let Some(welcome) = welcome {
                is_the_same_again(Kind::Welcome, &welcome);
            }
        },
    );
}

/// All frames that stand in the bytes.
async fn frames_of(bytes: &[u8]) -> Vec<Bytes> {
    let mut reader = FrameReader::new(bytes, 64 << 20);
    let mut frames = Vec::new();
    while let Ok(frame) = reader.next().await {
        frames.push(frame);
    }
    frames
}

#[test]
fn frames_of_peers() {
    let body = |elements: usize| {
        let mut frame = u32::try_from(elements).expect("few").to_le_bytes().to_vec();
        frame.extend_from_slice(&crc32c::crc32c(&vec![7; elements]).to_le_bytes());
        frame.extend(vec![7; elements]);
        frame
    };
    Target::new(FOLDER, "frames_of_peers")
        .sample([body(4), body(0), body(300)].concat())
        .repaired_by(mend_frame)
        // A list of frames, of which empty ones have eight bytes.
        .takes(GROWTH + GROWTH * size_of::<Bytes>() / 8)
        .dense(body)
        .dense(|elements| [&(16_u32 << 20).to_le_bytes()[..], &vec![7; elements]].concat())
        .run(
            |bytes| {
                let frames = frames_of(bytes).now_or_never().expect("a slice never waits");
                (!frames.is_empty()).then_some(frames)
            },
            |bytes, frames| assert!(frames.iter().map(|frame| frame.len() + 8).sum::<usize>() <= bytes.len()),
        );
}

/// Gives the first frame the checksum and, if it is cut, the length that it should have.
#[expect(clippy::ptr_arg, reason = "a target's repair may change the length")]
fn mend_frame(bytes: &mut Vec<u8>) {
    let Some((head, body)) = bytes.split_first_chunk_mut::<8>() else { return };
    let stated = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
    let length = stated.min(body.len());
    head[..4].copy_from_slice(&u32::try_from(length).expect("short").to_le_bytes());
    head[4..].copy_from_slice(&crc32c::crc32c(&body[..length]).to_le_bytes());
}
