//! What the log engine holds of Raft: entries, votes and log ids in bytes of our own, never openraft's.
//!
//! An entry is `[kind u8][version u16][term u64]` and its payload, numbers little endian: nothing for a blank one, the
//! proposer's bytes for a normal one, a [`Configuration`] for a membership.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use bytes::{BufMut, Bytes, BytesMut};
use openraft::EntryPayload;
use serde::{Deserialize, Serialize};

use crate::codec::{self, Kind};
use crate::member::Member;
use crate::types::{LogId, Membership, Payload, RaftEntry, StoredMembership, Vote, log_id};

const VERSION: u16 = 1;
const HEADER_BYTES: usize = 11;

const BLANK: u8 = 1;
const NORMAL: u8 = 2;
const MEMBERSHIP: u8 = 3;

/// The payload of a log record.
pub(crate) fn encode_entry(entry: &RaftEntry) -> Bytes {
    let (kind, payload) = match &entry.payload {
        EntryPayload::Blank => (BLANK, Bytes::new()),
        EntryPayload::Normal(Payload(bytes)) => (NORMAL, bytes.clone()),
        EntryPayload::Membership(membership) => (MEMBERSHIP, encode_membership(membership).into()),
    };
    let mut bytes = BytesMut::with_capacity(HEADER_BYTES + payload.len());
    bytes.put_u8(kind);
    bytes.put_u16_le(VERSION);
    bytes.put_u64_le(entry.log_id.leader_id.term);
    bytes.put(payload);
    bytes.freeze()
}

/// Reads what [`encode_entry`] wrote at `index`.
pub(crate) fn decode_entry(index: u64, bytes: &Bytes) -> io::Result<RaftEntry> {
    let malformed = |what: &str| io::Error::new(io::ErrorKind::InvalidData, format!("log entry {index} {what}"));
    let Some((header, _)) = bytes.split_first_chunk::<HEADER_BYTES>() else {
        return Err(malformed("is shorter than its header: it is damaged"));
    };
    let [kind, v0, v1, term @ ..] = *header;
    let version = u16::from_le_bytes([v0, v1]);
    if version != VERSION {
        return Err(malformed(&format!("has format version {version}, this program reads {VERSION}: run a newer one")));
    }
    let payload = bytes.slice(HEADER_BYTES..);
    let payload = match kind {
        BLANK if payload.is_empty() => EntryPayload::Blank,
        NORMAL => EntryPayload::Normal(Payload(payload)),
        MEMBERSHIP => EntryPayload::Membership(decode_membership(&payload)?),
        _ => return Err(malformed("is of an unknown kind: it is damaged, or a newer program wrote it")),
    };
    Ok(RaftEntry { log_id: log_id(u64::from_le_bytes(term), index), payload })
}

/// The term of an entry, given the payload of its log record; nothing if that is no entry.
pub fn term_of_record(payload: &[u8]) -> Option<u64> {
    let header = payload.first_chunk::<HEADER_BYTES>()?;
    let [_, _, _, term @ ..] = *header;
    Some(u64::from_le_bytes(term))
}

/// A vote, as who looks at a disk from outside understands it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredVote {
    /// The term.
    pub term: u64,
    /// For whom.
    pub candidate: u64,
    /// Whether it is the leader of that term already, whoever got the vote.
    pub leads: bool,
}

/// The vote in bytes that a log engine keeps; nothing if they are none.
pub fn stored_vote(bytes: &[u8]) -> Option<StoredVote> {
    let VoteV1 { term, voted_for, committed } = codec::decode(Kind::Vote, bytes).ok()?;
    Some(StoredVote { term, candidate: voted_for, leads: committed })
}

/// A vote, as it is stored and sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct VoteV1 {
    term: u64,
    voted_for: u64,
    committed: bool,
}

/// A log id, as it is stored and sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LogIdV1 {
    term: u64,
    index: u64,
}

/// A membership, as it is stored and sent: the voters of each half of a joint configuration, and all members.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Configuration {
    voters: Vec<BTreeSet<u64>>,
    members: BTreeMap<u64, Member>,
}

/// A membership with the place of its entry, as it is stored and sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredMembershipV1 {
    log_id: Option<LogIdV1>,
    configuration: Configuration,
}

pub(crate) fn encode_vote(vote: &Vote) -> Vec<u8> {
    codec::encode(Kind::Vote, &VoteV1::from(*vote))
}

pub(crate) fn decode_vote(bytes: &[u8]) -> io::Result<Vote> {
    codec::decode::<VoteV1>(Kind::Vote, bytes).map(Vote::from).map_err(invalid)
}

pub(crate) fn encode_log_id(id: LogId) -> Vec<u8> {
    codec::encode(Kind::LogId, &LogIdV1::from(id))
}

pub(crate) fn decode_log_id(bytes: &[u8]) -> io::Result<LogId> {
    codec::decode::<LogIdV1>(Kind::LogId, bytes).map(LogId::from).map_err(invalid)
}

fn encode_membership(membership: &Membership) -> Vec<u8> {
    codec::encode(Kind::Membership, &Configuration::from(membership))
}

fn decode_membership(bytes: &[u8]) -> io::Result<Membership> {
    let configuration: Configuration = codec::decode(Kind::Membership, bytes).map_err(invalid)?;
    Membership::try_from(configuration)
}

pub(crate) fn invalid(error: impl std::error::Error + Send + Sync + 'static) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

impl From<Vote> for VoteV1 {
    fn from(vote: Vote) -> Self {
        Self { term: vote.leader_id.term, voted_for: vote.leader_id.voted_for, committed: vote.committed }
    }
}

impl From<VoteV1> for Vote {
    fn from(vote: VoteV1) -> Self {
        let VoteV1 { term, voted_for, committed } = vote;
        if committed { Self::new_committed(term, voted_for) } else { Self::new(term, voted_for) }
    }
}

impl From<LogId> for LogIdV1 {
    fn from(id: LogId) -> Self {
        Self { term: id.leader_id.term, index: id.index }
    }
}

impl From<LogIdV1> for LogId {
    fn from(id: LogIdV1) -> Self {
        log_id(id.term, id.index)
    }
}

impl From<&Membership> for Configuration {
    fn from(membership: &Membership) -> Self {
        Self {
            voters: membership.get_joint_config().clone(),
            members: membership.nodes().map(|(id, member)| (*id, member.clone())).collect(),
        }
    }
}

impl TryFrom<Configuration> for Membership {
    type Error = io::Error;

    fn try_from(configuration: Configuration) -> io::Result<Self> {
        if configuration == Configuration::from(&Self::default()) {
            return Ok(Self::default());
        }
        Self::new(configuration.voters, configuration.members).map_err(invalid)
    }
}

impl From<&StoredMembership> for StoredMembershipV1 {
    fn from(stored: &StoredMembership) -> Self {
        Self { log_id: stored.log_id().map(LogIdV1::from), configuration: stored.membership().into() }
    }
}

impl TryFrom<StoredMembershipV1> for StoredMembership {
    type Error = io::Error;

    fn try_from(stored: StoredMembershipV1) -> io::Result<Self> {
        Ok(Self::new(stored.log_id.map(LogId::from), stored.configuration.try_into()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(payload: EntryPayload<Payload, u64, Member>) -> Bytes {
        let entry = RaftEntry { log_id: log_id(3, 9), payload };
        let bytes = encode_entry(&entry);
        let again = decode_entry(9, &bytes).expect("it was just encoded");
        assert_eq!((again.log_id, again.payload), (entry.log_id, entry.payload));
        bytes
    }

    #[test]
    fn entries_keep_their_golden_bytes() {
        assert_eq!(round_trip(EntryPayload::Blank).as_ref(), [1, 1, 0, 3, 0, 0, 0, 0, 0, 0, 0]);
        let normal = round_trip(EntryPayload::Normal(Payload(Bytes::from_static(b"ab"))));
        assert_eq!(normal.as_ref(), [2, 1, 0, 3, 0, 0, 0, 0, 0, 0, 0, b'a', b'b']);
        let member = Member { raft: "r:1".into(), http: "h:2".into() };
        let membership =
            Membership::new(vec![BTreeSet::from([7])], BTreeMap::from([(7, member)])).expect("it is valid");
        assert_eq!(
            round_trip(EntryPayload::Membership(membership)).as_ref(),
            [
                3, 1, 0, 3, 0, 0, 0, 0, 0, 0, 0, // entry
                3, 1, 0, 1, 1, 7, 1, 7, 3, b'r', b':', b'1', 3, b'h', b':', b'2'
            ]
        );
    }

    #[test]
    fn votes_and_log_ids_keep_their_golden_bytes() {
        let vote = Vote::new_committed(5, 2);
        assert_eq!(encode_vote(&vote), [1, 1, 0, 5, 2, 1]);
        assert_eq!(decode_vote(&encode_vote(&vote)).expect("it was just encoded"), vote);
        assert_eq!(encode_log_id(log_id(5, 2)), [2, 1, 0, 5, 2]);
        assert_eq!(decode_log_id(&[2, 1, 0, 5, 2]).expect("these bytes are golden"), log_id(5, 2));
    }

    #[test]
    fn an_unknown_kind_or_version_of_entry_is_refused() {
        for bytes in [&[9, 1, 0, 3, 0, 0, 0, 0, 0, 0, 0][..], &[1, 2, 0, 3, 0, 0, 0, 0, 0, 0, 0], &[1, 1, 0]] {
            assert!(decode_entry(0, &Bytes::copy_from_slice(bytes)).is_err(), "{bytes:?}");
        }
    }
}
