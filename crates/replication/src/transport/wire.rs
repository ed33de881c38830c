//! What peers say to each other. Frozen: a change is a new variant or a new version, never another field.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::record::{LogIdV1, VoteV1};
use crate::snapshot::SnapshotHead;

/// What a connection is for. Each has its own, so that none waits behind another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Purpose {
    /// Votes, transfers, status.
    Control,
    /// Heartbeats.
    Heartbeat,
    /// Entries.
    Append,
    /// Snapshots.
    Snapshot,
    /// One question whether the leader lives. It ends no other connection, and none is missed when it ends.
    Probe,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Request {
    Append(AppendV1),
    Vote(VoteRequestV1),
    PreVote(VoteRequestV1),
    Transfer(TransferV1),
    Status,
    /// Opens a transfer; [`Response::GoOn`] answers it and each chunk.
    SnapshotBegin(SnapshotHead),
    SnapshotChunk(Bytes),
    /// Ends it; the receiver installs it, and [`Response::Installed`] answers.
    SnapshotEnd(SnapshotEndV1),
    /// Since when the process lives; [`Response::Life`] answers.
    Life,
    /// The sender has proof that a leader is gone; [`Response::GoOn`] answers.
    Gone(StatementV1),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Response {
    Append(AppendAnswerV1),
    Vote(VoteAnswerV1),
    Transfer(TransferAnswerV1),
    Status(StatusV1),
    GoOn,
    Installed {
        vote: VoteV1,
    },
    /// The replica cannot answer: it has stopped, or the request came out of order.
    Failed,
    Life(LifeV1),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AppendV1 {
    pub(crate) vote: VoteV1,
    pub(crate) previous: Option<LogIdV1>,
    pub(crate) committed: Option<LogIdV1>,
    /// Consecutive, each as the log holds it.
    pub(crate) first_index: u64,
    pub(crate) entries: Vec<Bytes>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum AppendAnswerV1 {
    Success,
    PartialSuccess(Option<LogIdV1>),
    Conflict,
    HigherVote(VoteV1),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct VoteRequestV1 {
    pub(crate) vote: VoteV1,
    pub(crate) last: Option<LogIdV1>,
    pub(crate) leadership_transfer: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct VoteAnswerV1 {
    pub(crate) vote: VoteV1,
    pub(crate) granted: bool,
    pub(crate) last: Option<LogIdV1>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TransferV1 {
    pub(crate) from: VoteV1,
    pub(crate) to: u64,
    pub(crate) last: Option<LogIdV1>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum TransferAnswerV1 {
    Accepted,
    VoteChanged { expected: VoteV1, actual: VoteV1 },
    LogNotFlushed { expected: Option<LogIdV1>, actual: Option<LogIdV1> },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StatusV1 {
    /// It has a configuration, or has voted.
    pub(crate) initialised: bool,
    /// With which members it was told to begin.
    pub(crate) initial_members: Vec<u64>,
    /// Its wall clock, in milliseconds since 1970.
    pub(crate) wall_ms: u64,
}

/// One life of a member's process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LifeV1 {
    /// The term in the vote that it found when it began, 0 for none. It leads in no term up to this.
    pub(crate) began_after_term: u64,
}

/// That the leader of a vote is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StatementV1 {
    pub(crate) vote: VoteV1,
    /// The last entry of the one who states it.
    pub(crate) last: Option<LogIdV1>,
}

/// What must have arrived before a snapshot is installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SnapshotEndV1 {
    pub(crate) vote: VoteV1,
    pub(crate) bytes: u64,
    /// CRC-32C of the whole content.
    pub(crate) crc: u32,
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use serde::de::DeserializeOwned;

    use super::*;
    use crate::codec::{self, Kind};
    use crate::types::{SnapshotMeta, Vote, log_id};

    fn golden<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(kind: Kind, value: &T, expected: &Expect) {
        let bytes = codec::encode(kind, value);
        assert_eq!(codec::decode::<T>(kind, &bytes).as_ref(), Ok(value));
        let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        expected.assert_eq(&hex.join(" "));
    }

    #[test]
    fn requests_keep_their_golden_bytes() {
        let (vote, last) = (VoteV1::from(Vote::new(7, 2)), Some(LogIdV1::from(log_id(6, 300))));
        let append = AppendV1 {
            vote,
            previous: last,
            committed: None,
            first_index: 301,
            entries: vec![Bytes::from_static(b"one"), Bytes::new()],
        };
        golden(
            Kind::Request,
            &Request::Append(append),
            &expect!["12 01 00 00 07 02 00 01 06 fb 2c 01 00 fb 2d 01 02 03 6f 6e 65 00"],
        );
        let request = VoteRequestV1 { vote, last, leadership_transfer: true };
        golden(Kind::Request, &Request::Vote(request), &expect!["12 01 00 01 07 02 00 01 06 fb 2c 01 01"]);
        golden(Kind::Request, &Request::PreVote(request), &expect!["12 01 00 02 07 02 00 01 06 fb 2c 01 01"]);
        golden(
            Kind::Request,
            &Request::Transfer(TransferV1 { from: vote, to: 3, last }),
            &expect!["12 01 00 03 07 02 00 03 01 06 fb 2c 01"],
        );
        golden(Kind::Request, &Request::Status, &expect!["12 01 00 04"]);
        let head = SnapshotHead::from(&SnapshotMeta { last_log_id: Some(log_id(6, 300)), ..SnapshotMeta::default() });
        golden(Kind::Request, &Request::SnapshotBegin(head), &expect!["12 01 00 05 01 06 fb 2c 01 00 00 00"]);
        golden(
            Kind::Request,
            &Request::SnapshotChunk(Bytes::from_static(b"part")),
            &expect!["12 01 00 06 04 70 61 72 74"],
        );
        let end = SnapshotEndV1 { vote, bytes: 4, crc: 5 };
        golden(Kind::Request, &Request::SnapshotEnd(end), &expect!["12 01 00 07 07 02 00 04 05"]);
        golden(Kind::Request, &Request::Life, &expect!["12 01 00 08"]);
        let statement = StatementV1 { vote, last };
        golden(Kind::Request, &Request::Gone(statement), &expect!["12 01 00 09 07 02 00 01 06 fb 2c 01"]);
    }

    #[test]
    fn responses_keep_their_golden_bytes() {
        let (vote, last) = (VoteV1::from(Vote::new_committed(7, 2)), Some(LogIdV1::from(log_id(6, 300))));
        for (answer, expected) in [
            (AppendAnswerV1::Success, expect!["13 01 00 00 00"]),
            (AppendAnswerV1::PartialSuccess(last), expect!["13 01 00 00 01 01 06 fb 2c 01"]),
            (AppendAnswerV1::Conflict, expect!["13 01 00 00 02"]),
            (AppendAnswerV1::HigherVote(vote), expect!["13 01 00 00 03 07 02 01"]),
        ] {
            golden(Kind::Response, &Response::Append(answer), &expected);
        }
        golden(
            Kind::Response,
            &Response::Vote(VoteAnswerV1 { vote, granted: true, last }),
            &expect!["13 01 00 01 07 02 01 01 01 06 fb 2c 01"],
        );
        for (answer, expected) in [
            (TransferAnswerV1::Accepted, expect!["13 01 00 02 00"]),
            (
                TransferAnswerV1::VoteChanged { expected: vote, actual: vote },
                expect!["13 01 00 02 01 07 02 01 07 02 01"],
            ),
            (
                TransferAnswerV1::LogNotFlushed { expected: last, actual: None },
                expect!["13 01 00 02 02 01 06 fb 2c 01 00"],
            ),
        ] {
            golden(Kind::Response, &Response::Transfer(answer), &expected);
        }
        let status = StatusV1 { initialised: true, initial_members: vec![1, 2, 3], wall_ms: 9 };
        golden(Kind::Response, &Response::Status(status), &expect!["13 01 00 03 01 03 01 02 03 09"]);
        golden(Kind::Response, &Response::GoOn, &expect!["13 01 00 04"]);
        golden(Kind::Response, &Response::Installed { vote }, &expect!["13 01 00 05 07 02 01"]);
        golden(Kind::Response, &Response::Failed, &expect!["13 01 00 06"]);
        let life = LifeV1 { began_after_term: 7 };
        golden(Kind::Response, &Response::Life(life), &expect!["13 01 00 07 07"]);
    }
}
