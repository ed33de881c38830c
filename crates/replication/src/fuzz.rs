//! Hostile bytes for what disks hold of Raft.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use antfarm_fuzzing::Target;
use antfarm_model::{MemberId, Name};
use bytes::Bytes;
use openraft::EntryPayload;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::codec::{self, Kind};
use crate::identity::Identity;
use crate::member::Member;
use crate::record;
use crate::snapshot::SnapshotHead;
use crate::types::{Membership, Payload, RaftEntry, SnapshotMeta, StoredMembership, Vote, log_id};

pub(crate) const FOLDER: &str = env!("CARGO_MANIFEST_DIR");

/// A list that grows is there twice, once of them with room for as much again.
pub(crate) const GROWTH: usize = 3;

/// What a B-tree takes for each small element, its nodes half full: eleven places, pointers and neighbours.
const TREE_ELEMENT_BYTES: usize = 64;

pub(crate) fn decode<T: DeserializeOwned>(kind: Kind) -> impl Fn(&[u8]) -> Option<T> + Sync {
    move |bytes| codec::decode(kind, bytes).ok()
}

pub(crate) fn is_the_same_again<T: Serialize + DeserializeOwned + PartialEq + Debug>(kind: Kind, value: &T) {
    assert_eq!(codec::decode::<T>(kind, &codec::encode(kind, value)).as_ref(), Ok(value));
}

fn member(number: u64) -> Member {
    Member { raft: format!("r:{number}"), http: format!("h:{number}") }
}

fn membership() -> Membership {
    let members = (1..4).map(|number| (number, member(number))).collect::<BTreeMap<_, _>>();
    Membership::new(vec![BTreeSet::from([1, 2]), BTreeSet::from([2, 3])], members).expect("it is valid")
}

pub(crate) fn head() -> SnapshotHead {
    let last_membership = StoredMembership::new(Some(log_id(6, 200)), membership());
    SnapshotHead::from(&SnapshotMeta { last_log_id: Some(log_id(6, 300)), last_membership })
}

#[test]
fn records_of_the_log() {
    let entries = [
        EntryPayload::Blank,
        EntryPayload::Normal(Payload(Bytes::from_static(b"ab"))),
        EntryPayload::Membership(membership()),
    ];
    let encode = |payload| record::encode_entry(&RaftEntry { log_id: log_id(3, 9), payload });
    Target::new(FOLDER, "records_of_the_log")
        .samples(entries.map(|payload| encode(payload).to_vec()))
        .takes(2 * TREE_ELEMENT_BYTES)
        .dense(move |elements| {
            let members = (0..elements as u64).map(|number| (number, Member::default())).collect::<BTreeMap<_, _>>();
            let voters = members.keys().copied().collect();
            encode(EntryPayload::Membership(Membership::new(vec![voters], members).expect("it is valid"))).to_vec()
        })
        .run(
            |bytes| record::decode_entry(9, &Bytes::copy_from_slice(bytes)).ok(),
            |_, entry| {
                let again =
                    record::decode_entry(9, &record::encode_entry(&entry)).expect("what was read can be written");
                assert_eq!((again.log_id, again.payload), (entry.log_id, entry.payload));
            },
        );
}

#[test]
fn votes_and_log_ids() {
    Target::new(FOLDER, "votes_and_log_ids")
        .sample(record::encode_vote(&Vote::new_committed(5, 2)))
        .sample(record::encode_log_id(log_id(5, 2)))
        .run(
            |bytes| Some((record::decode_vote(bytes).ok(), record::decode_log_id(bytes).ok())),
            |_, (vote, id)| {
                let vote_again = vote.map(|vote| record::decode_vote(&record::encode_vote(&vote)).ok());
                assert_eq!(vote_again, vote.map(Some));
                let id_again = id.map(|id| record::decode_log_id(&record::encode_log_id(id)).ok());
                assert_eq!(id_again, id.map(Some));
            },
        );
}

#[test]
fn heads_of_snapshots() {
    Target::new(FOLDER, "heads_of_snapshots")
        .sample(codec::encode(Kind::SnapshotHead, &head()))
        .sample(codec::encode(Kind::SnapshotHead, &SnapshotHead::from(&SnapshotMeta::default())))
        .takes(2 * TREE_ELEMENT_BYTES)
        .run(
            |bytes| {
                let head: SnapshotHead = codec::decode(Kind::SnapshotHead, bytes).ok()?;
                SnapshotMeta::try_from(head).ok()
            },
            |_, meta| is_the_same_again(Kind::SnapshotHead, &SnapshotHead::from(&meta)),
        );
}

#[test]
fn identities_and_disks_of_peers() {
    let identity = Identity { cluster: Name::new("ants").expect("a name"), member: MemberId(3), disk: 1 << 40 };
    Target::new(FOLDER, "identities_and_disks_of_peers")
        .sample(codec::encode(Kind::Identity, &identity))
        .sample(codec::encode(Kind::PeerDisk, &7_u64))
        .run(
            |bytes| {
                let disk = codec::decode::<u64>(Kind::PeerDisk, bytes).is_ok();
                let identity = codec::decode::<Identity>(Kind::Identity, bytes).ok();
                (disk || identity.is_some()).then_some(identity)
            },
            |_, identity| {
                if let Some(identity) = identity {
                    is_the_same_again(Kind::Identity, &identity);
                }
            },
        );
}
