//! What openraft publishes of itself, in our words.

use std::collections::BTreeMap;
use std::time::Duration;

use antfarm_model::{LogIndex, MemberId};
use openraft::alias::WatchReceiverOf;
use openraft::async_runtime::watch::WatchReceiver;
use openraft::errors::Fatal;
use openraft::{AsyncRuntime, Instant, RaftMetrics, ServerState};

use crate::durations::Timed;
use crate::error::Failure;
use crate::member::Member;
use crate::status::{Leadership, MemberStatus, ReplicaStatus};
use crate::types::{LogId, Types};

type Receiver<R> = WatchReceiverOf<Types<R>, RaftMetrics<Types<R>>>;

/// The latest metrics of a replica. They lag behind the truth: hints, never authority.
pub(crate) struct Metrics<R: AsyncRuntime> {
    member: MemberId,
    receiver: Receiver<R>,
}

impl<R: AsyncRuntime> Clone for Metrics<R> {
    fn clone(&self) -> Self {
        Self { member: self.member, receiver: self.receiver.clone() }
    }
}

impl<R: AsyncRuntime> Metrics<R> {
    pub(crate) fn new(member: MemberId, receiver: Receiver<R>) -> Self {
        Self { member, receiver }
    }

    /// To wait for changes.
    pub(crate) fn receiver(&self) -> Receiver<R> {
        self.receiver.clone()
    }

    fn read<T>(&self, f: impl FnOnce(&RaftMetrics<Types<R>>) -> T) -> T {
        f(&self.receiver.borrow_watched())
    }

    pub(crate) fn leadership(&self) -> Leadership {
        self.read(|metrics| {
            if metrics.state == ServerState::Leader {
                Leadership::Leading { term: metrics.current_term }
            } else {
                let other = metrics.current_leader.map(MemberId).filter(|leader| *leader != self.member);
                Leadership::Following { leader: other }
            }
        })
    }

    pub(crate) fn failure(&self) -> Option<Failure> {
        self.read(|metrics| match &metrics.running_state {
            Ok(()) => None,
            Err(Fatal::StorageError(error)) => Some(Failure::Storage(error.to_string())),
            Err(Fatal::Panicked | Fatal::Stopped) => Some(Failure::Panicked),
        })
    }

    pub(crate) fn quorum_acked(&self) -> Option<Duration> {
        self.read(quorum_acked)
    }

    /// Whether it is the only voter, which needs nobody's acknowledgement.
    pub(crate) fn is_alone(&self) -> bool {
        self.read(is_alone)
    }

    /// All voters of the configuration in force.
    pub(crate) fn voters(&self) -> BTreeMap<MemberId, Member> {
        self.read(|metrics| {
            let membership = metrics.membership_config.membership();
            let voters =
                membership.voter_ids().filter_map(|id| Some((MemberId(id), membership.get_node(&id)?.clone())));
            voters.collect()
        })
    }

    /// Brings a copy of all members up to date; tells whether they had changed.
    pub(crate) fn update_members(&self, known: &mut BTreeMap<MemberId, Member>) -> bool {
        self.read(|metrics| {
            let members = || metrics.membership_config.nodes().map(|(id, member)| (MemberId(*id), member));
            let has_changed = !members().eq(known.iter().map(|(id, member)| (*id, member)));
            if has_changed {
                *known = members().map(|(id, member)| (id, member.clone())).collect();
            }
            has_changed
        })
    }

    /// The voter that is to take over: the one that is asked for, or the one with the longest log.
    pub(crate) fn successor(&self, to: Option<MemberId>) -> Option<MemberId> {
        let others = self.voters().into_keys().filter(|id| *id != self.member);
        match to {
            Some(to) => others.into_iter().find(|id| *id == to),
            None => self.read(|metrics| others.into_iter().max_by_key(|id| matched(metrics, *id))),
        }
    }

    /// The last entry that a member is known to have; known to the leader only.
    pub(crate) fn matched(&self, member: MemberId) -> Option<LogIndex> {
        self.read(|metrics| matched(metrics, member))
    }

    pub(crate) fn status(&self) -> ReplicaStatus {
        self.read(|metrics| {
            let membership = metrics.membership_config.membership();
            let voters: Vec<u64> = membership.voter_ids().collect();
            let member = |(id, member): (&u64, &Member)| {
                let status = MemberStatus {
                    member: member.clone(),
                    voter: voters.contains(id),
                    matched_index: matched(metrics, MemberId(*id)),
                    heard: heard(metrics, *id),
                };
                (MemberId(*id), status)
            };
            ReplicaStatus {
                member: self.member,
                leader: metrics.current_leader.map(MemberId),
                term: metrics.current_term,
                initialised: !voters.is_empty(),
                configuration_index: index(*metrics.membership_config.log_id()),
                members: membership.nodes().map(member).collect(),
                last_index: LogIndex(metrics.last_log_index.unwrap_or(0)),
                commit_index: index(metrics.cluster_committed).max(index(metrics.local_committed)),
                applied_index: index(metrics.last_applied),
                snapshot_index: index(metrics.snapshot),
                purged_index: index(metrics.purged),
                quorum_acked: quorum_acked(metrics),
                snapshots: Timed::default(),
                stalls: Timed::default(),
            }
        })
    }
}

fn is_alone<R: AsyncRuntime>(metrics: &RaftMetrics<Types<R>>) -> bool {
    metrics.membership_config.voter_ids().all(|id| id == metrics.id)
}

fn quorum_acked<R: AsyncRuntime>(metrics: &RaftMetrics<Types<R>>) -> Option<Duration> {
    if metrics.state != ServerState::Leader {
        return None;
    }
    if is_alone(metrics) {
        return Some(Duration::ZERO);
    }
    metrics.last_quorum_acked.as_ref().map(|acked| acked.elapsed())
}

fn matched<R: AsyncRuntime>(metrics: &RaftMetrics<Types<R>>, id: MemberId) -> Option<LogIndex> {
    let replication = metrics.replication.as_ref()?;
    replication.get(&id.0).copied().flatten().map(|matched| LogIndex(matched.index))
}

fn heard<R: AsyncRuntime>(metrics: &RaftMetrics<Types<R>>, id: u64) -> Option<Duration> {
    let heartbeat = metrics.heartbeat.as_ref()?;
    heartbeat.get(&id)?.as_ref().map(|heard| heard.elapsed())
}

fn index(id: Option<LogId>) -> LogIndex {
    LogIndex(id.map_or(0, |id| id.index))
}
