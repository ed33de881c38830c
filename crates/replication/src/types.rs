//! openraft's type parameters: one leader per term, bytes in, outcomes out, generic over the runtime.

use std::cmp::Ordering;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use antfarm_scheduler::Outcome;
use bytes::Bytes;
use openraft::impls::leader_id_std;
use openraft::vote::leader_id_std::CommittedLeaderId;
use openraft::{AsyncRuntime, EntryPayload, OptionalSend, RaftTypeConfig};

use crate::member::Member;

/// The types of a Raft group on the runtime `R`.
///
/// Generic, because the runtime of a deterministic simulation cannot serve production. The traits are written by hand,
/// because derived ones would ask them of `R`.
pub(crate) struct Types<R>(PhantomData<fn() -> R>);

impl<R: AsyncRuntime> RaftTypeConfig for Types<R> {
    type D = Payload;
    type R = Answer;
    type NodeId = u64;
    type Node = Member;
    type Term = u64;
    type LeaderId = LeaderId;
    type Vote = openraft::Vote<Self::LeaderId>;
    type Payload = EntryPayload<Payload, u64, Member>;
    type Entry = openraft::Entry<CommittedLeaderId<u64>, Self::Payload>;
    type AsyncRuntime = R;
    type Responder<T>
        = openraft::impls::OneshotResponder<Self, T>
    where
        T: OptionalSend + 'static;
    type Batch<T>
        = openraft::impls::InlineBatch<T>
    where
        T: OptionalSend + 'static;
    type ErrorSource = openraft::impls::BoxedErrorSource;
}

pub(crate) type LogId = openraft::LogId<CommittedLeaderId<u64>>;
pub(crate) type LeaderId = leader_id_std::LeaderId<u64, u64>;
pub(crate) type Vote = openraft::Vote<LeaderId>;
pub(crate) type RaftEntry = openraft::Entry<CommittedLeaderId<u64>, EntryPayload<Payload, u64, Member>>;
pub(crate) type Membership = openraft::Membership<u64, Member>;
pub(crate) type StoredMembership = openraft::StoredMembership<CommittedLeaderId<u64>, u64, Member>;
pub(crate) type SnapshotMeta = openraft::SnapshotMeta<CommittedLeaderId<u64>, u64, Member>;

/// The place of an entry.
pub(crate) fn log_id(term: u64, index: u64) -> LogId {
    LogId::new(CommittedLeaderId::new(term), index)
}

/// An encoded [`Entry`](antfarm_scheduler::Entry): encoded once by the proposer, decoded once by each replica's apply.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Payload(pub(crate) Bytes);

/// The outcome of an entry; blank and membership entries have none.
pub(crate) type Answer = Option<Arc<Outcome>>;

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}

impl<R> fmt::Debug for Types<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Types")
    }
}

impl<R> Clone for Types<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Types<R> {}

impl<R> Default for Types<R> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<R> PartialEq for Types<R> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<R> Eq for Types<R> {}

impl<R> PartialOrd for Types<R> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<R> Ord for Types<R> {
    fn cmp(&self, _: &Self) -> Ordering {
        Ordering::Equal
    }
}
