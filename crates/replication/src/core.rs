//! The running replica behind the handle: openraft with its runtime, hidden behind an object.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use antfarm_model::{Epoch, LogIndex, MemberId, WallTime};
use antfarm_planted::{Bug, planted};
use antfarm_scheduler::{Entry, Outcome};
use bytes::Bytes;
use futures_util::future::join_all;
use openraft::async_runtime::watch::WatchReceiver;
use openraft::errors::{ClientWriteError, ForwardToLeader, InitializeError, LinearizableReadError, RaftError};
use openraft::impls::OneshotResponder;
use openraft::{AsyncRuntime, Raft, ReadPolicy};
use tokio::sync::{Semaphore, watch};

use crate::bootstrap::Initialise;
use crate::config::ReplicaConfig;
use crate::drafts::Drafting;
use crate::durations::Durations;
use crate::error::{ChangeError, Failure, NotLeading, ProposeError, TransferError};
use crate::feed::Feed;
use crate::member::Member;
use crate::membership::{Change, Changed, Removed};
use crate::metrics::Metrics;
use crate::replica::Office;
use crate::state_machine::StateMachine;
use crate::status::{Leadership, QueueLength, ReplicaStatus};
use crate::succession::Campaigns;
use crate::tasks::Tasks;
use crate::transport::{Context, Peers, Purpose, Request, Response};
use crate::types::{Payload, Types};

pub(crate) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A proposal under way.
pub(crate) type Proposal = BoxFuture<'static, Result<Arc<Outcome>, ProposeError>>;

/// The bits of an epoch that are the term.
pub(crate) const TERM_BITS: u32 = 48;

/// A leader that was elected just now refuses for a moment, until a quorum has answered it once.
const LEASE_RETRIES: u32 = 250;
const LEASE_RETRY_PAUSE: Duration = Duration::from_millis(1);

/// What the handle asks of a replica, whatever its runtime.
pub(crate) trait Core: Send + Sync {
    fn leadership(&self) -> watch::Receiver<Leadership>;
    fn members(&self) -> watch::Receiver<BTreeMap<MemberId, Member>>;
    fn open_office(&self) -> BoxFuture<'_, Result<Office, NotLeading>>;
    fn drafted(&self, upload: u64) -> BoxFuture<'_, ()>;
    fn propose<'a>(&'a self, entry: &'a Entry) -> BoxFuture<'a, Result<Proposal, ProposeError>>;
    fn quorum_acked(&self) -> Option<Duration>;
    fn leader_heard(&self) -> Option<Duration>;
    fn status(&self) -> ReplicaStatus;
    fn queues(&self) -> [QueueLength; 2];
    fn wall_clocks(&self, within: Duration) -> BoxFuture<'_, BTreeMap<MemberId, Option<WallTime>>>;
    fn transfer(&self, to: Option<MemberId>) -> BoxFuture<'_, Result<MemberId, TransferError>>;
    fn change_membership<'a>(&'a self, change: &'a Change) -> BoxFuture<'a, Result<Changed, ChangeError>>;
    fn shutdown(&self) -> BoxFuture<'_, ()>;
    fn failed(&self) -> BoxFuture<'_, Failure>;
}

/// A replica on the runtime `R`.
pub(crate) struct RaftCore<R: AsyncRuntime> {
    pub(crate) config: ReplicaConfig,
    pub(crate) raft: Raft<Types<R>, StateMachine>,
    pub(crate) metrics: Metrics<R>,
    pub(crate) feed: Feed,
    pub(crate) peers: Arc<Peers>,
    pub(crate) context: Arc<Context>,
    pub(crate) tasks: Tasks,
    pub(crate) leadership: watch::Sender<Leadership>,
    pub(crate) members: watch::Sender<BTreeMap<MemberId, Member>>,
    pub(crate) failure: watch::Sender<Option<Failure>>,
    pub(crate) in_flight: Arc<Semaphore>,
    pub(crate) campaigns: Campaigns,
    pub(crate) snapshots: Durations,
    pub(crate) stalls: Durations,
    pub(crate) drafting: Drafting,
    pub(crate) removed: Removed,
}

impl<R: AsyncRuntime> Core for RaftCore<R> {
    fn leadership(&self) -> watch::Receiver<Leadership> {
        self.leadership.subscribe()
    }

    fn members(&self) -> watch::Receiver<BTreeMap<MemberId, Member>> {
        self.members.subscribe()
    }

    fn open_office(&self) -> BoxFuture<'_, Result<Office, NotLeading>> {
        Box::pin(async {
            let mut retries = 0;
            loop {
                match self.confirm().await {
                    Err(NotLeading::NotLeader { leader: None }) if retries < LEASE_RETRIES && self.seems_to_lead() => {
                        retries += 1;
                        tokio::time::sleep(LEASE_RETRY_PAUSE).await;
                    }
                    answer => return answer,
                }
            }
        })
    }

    fn drafted(&self, upload: u64) -> BoxFuture<'_, ()> {
        Box::pin(self.drafting.drafted(upload))
    }

    fn propose<'a>(&'a self, entry: &'a Entry) -> BoxFuture<'a, Result<Proposal, ProposeError>> {
        Box::pin(self.queue(entry))
    }

    fn quorum_acked(&self) -> Option<Duration> {
        self.metrics.quorum_acked()
    }

    fn leader_heard(&self) -> Option<Duration> {
        self.context.heard.ago()
    }

    fn status(&self) -> ReplicaStatus {
        ReplicaStatus { snapshots: self.snapshots.timed(), stalls: self.stalls.timed(), ..self.metrics.status() }
    }

    fn queues(&self) -> [QueueLength; 2] {
        let limit = self.config.proposals_in_flight;
        let length = limit.saturating_sub(self.in_flight.available_permits());
        [QueueLength { name: "proposals under way", length, limit }, self.peers.longest_queue()]
    }

    fn wall_clocks(&self, within: Duration) -> BoxFuture<'_, BTreeMap<MemberId, Option<WallTime>>> {
        Box::pin(async move {
            let voters = self.metrics.voters();
            let clocks = voters.into_iter().map(async |(id, member)| (id, self.wall_clock(id, &member, within).await));
            join_all(clocks).await.into_iter().collect()
        })
    }

    fn transfer(&self, to: Option<MemberId>) -> BoxFuture<'_, Result<MemberId, TransferError>> {
        Box::pin(self.hand_over(to))
    }

    fn change_membership<'a>(&'a self, change: &'a Change) -> BoxFuture<'a, Result<Changed, ChangeError>> {
        Box::pin(self.change(change))
    }

    fn shutdown(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            self.tasks.stop().await;
            if let Err(error) = self.raft.shutdown().await {
                tracing::warn!(%error, "the consensus task did not end in order");
            }
            self.feed.close();
        })
    }

    fn failed(&self) -> BoxFuture<'_, Failure> {
        let mut failure = self.failure.subscribe();
        Box::pin(async move {
            let failure = failure.wait_for(Option::is_some).await.ok().and_then(|failure| failure.clone());
            match failure {
                Some(failure) => failure,
                None => std::future::pending().await,
            }
        })
    }
}

impl<R: AsyncRuntime> RaftCore<R> {
    pub(crate) fn seems_to_lead(&self) -> bool {
        matches!(*self.leadership.borrow(), Leadership::Leading { .. })
    }

    fn epoch(&self, term: u64) -> Epoch {
        Epoch((u64::from(self.config.generation) << TERM_BITS) | term)
    }

    /// One quorum read: the term comes from its answer, which belongs to the leadership that the quorum confirmed.
    async fn confirm(&self) -> Result<Office, NotLeading> {
        let linearizer = match self.raft.get_read_linearizer(ReadPolicy::ReadIndex).await {
            Ok(linearizer) => linearizer,
            Err(RaftError::Fatal(_)) => return Err(NotLeading::Stopped),
            Err(RaftError::APIError(LinearizableReadError::QuorumNotEnough(_))) => return Err(NotLeading::NoQuorum),
            Err(RaftError::APIError(LinearizableReadError::ForwardToLeader(forward))) => {
                return Err(NotLeading::NotLeader { leader: self.other(&forward) });
            }
        };
        let term = linearizer.read_log_id().committed_leader_id().term;
        let index = linearizer.read_log_id().index();
        let within = self.config.election_timeout_max * 2;
        let office = || Office { epoch: self.epoch(term), index: LogIndex(index), cause: self.campaigns.cause(term) };
        if planted(Bug::OfficeBeforeBarrier) {
            return Ok(office());
        }
        match linearizer.try_await_ready(&self.raft, Some(within)).await {
            Ok(Ok(_)) => Ok(office()),
            Ok(Err(_)) => Err(NotLeading::NoQuorum),
            Err(_) => Err(NotLeading::Stopped),
        }
    }

    /// Who leads instead of this member.
    pub(crate) fn other(&self, forward: &ForwardToLeader<Types<R>>) -> Option<MemberId> {
        forward.leader_id.map(MemberId).filter(|leader| *leader != self.config.member)
    }

    async fn queue(&self, entry: &Entry) -> Result<Proposal, ProposeError> {
        let permit = self.in_flight.clone().acquire_owned().await.map_err(|_| ProposeError::Stopped)?;
        let term = entry.epoch.0 & ((1 << TERM_BITS) - 1);
        if entry.epoch != self.epoch(term) {
            return Err(ProposeError::NotLeading { leader: None });
        }
        let bytes = entry.encode();
        let limit = self.config.limits.entry_bytes;
        if bytes.len() > limit as usize {
            return Err(ProposeError::TooLarge { bytes: bytes.len() as u64, limit });
        }
        let (responder, wait) = OneshotResponder::new_pair();
        let write = self.raft.write(Payload(Bytes::from(bytes))).with_leader(term).responder(responder);
        write.await.map_err(|_| ProposeError::Stopped)?;
        let member = self.config.member;
        Ok(Box::pin(async move {
            let _permit = permit;
            match wait.await {
                Ok(Ok(written)) => written.data.ok_or(ProposeError::OutcomeUnknown),
                Ok(Err(ClientWriteError::ForwardToLeader(forward))) => {
                    let leader = forward.leader_id.map(MemberId).filter(|leader| *leader != member);
                    Err(ProposeError::NotLeading { leader })
                }
                Ok(Err(
                    ClientWriteError::LogEntryDiscarded(_)
                    | ClientWriteError::ChangeMembershipError(_)
                    | ClientWriteError::PreconditionFailed(_),
                ))
                | Err(_) => Err(ProposeError::OutcomeUnknown),
            }
        }))
    }

    async fn wall_clock(&self, id: MemberId, member: &Member, within: Duration) -> Option<WallTime> {
        if id == self.config.member {
            return Some(WallTime(self.context.env.wall_ms()));
        }
        match self.peers.call(id, &member.raft, Purpose::Control, &Request::Status, within).await {
            Ok(Response::Status(status)) => Some(WallTime(status.wall_ms)),
            Ok(_) | Err(_) => None,
        }
    }

    async fn hand_over(&self, to: Option<MemberId>) -> Result<MemberId, TransferError> {
        let mut leadership = self.leadership.subscribe();
        if let Leadership::Following { leader } = *leadership.borrow_and_update() {
            return Err(TransferError::NotLeader { leader });
        }
        let to = self.metrics.successor(to).ok_or(TransferError::NoSuchVoter)?;
        self.raft.trigger().transfer_leader(to.0).await.map_err(|_| TransferError::Stopped)?;
        let taken = leadership.wait_for(|now| *now == Leadership::Following { leader: Some(to) });
        match tokio::time::timeout(self.config.election_timeout_max * 2, taken).await {
            Ok(Ok(_)) => Ok(to),
            Ok(Err(_)) | Err(_) => Err(TransferError::NotTaken(to)),
        }
    }
}

impl<R: AsyncRuntime> Initialise for Raft<Types<R>, StateMachine> {
    async fn is_initialised(&self) -> Option<bool> {
        self.is_initialized().await.ok()
    }

    async fn initialise(&self, members: BTreeMap<MemberId, Member>) {
        let members: BTreeMap<u64, Member> = members.into_iter().map(|(id, member)| (id.0, member)).collect();
        match self.initialize(members).await {
            Ok(()) | Err(RaftError::APIError(InitializeError::NotAllowed(_))) => {}
            Err(error) => tracing::error!(%error, "the cluster could not be initialised"),
        }
    }
}

/// Keeps the hints of leadership and members up to date, and notices when the replica stops by itself. Whose disk stands
/// still does not lead, whatever consensus says, which may be waiting for that disk.
pub(crate) async fn watch_metrics<R: AsyncRuntime>(
    metrics: Metrics<R>,
    mut still: watch::Receiver<bool>,
    (leadership, members): (watch::Sender<Leadership>, watch::Sender<BTreeMap<MemberId, Member>>),
    failure: watch::Sender<Option<Failure>>,
) {
    let mut receiver = metrics.receiver();
    loop {
        let now = match metrics.leadership() {
            Leadership::Leading { .. } if *still.borrow_and_update() => Leadership::Following { leader: None },
            now @ (Leadership::Leading { .. } | Leadership::Following { .. }) => now,
        };
        leadership.send_if_modified(|known| std::mem::replace(known, now) != now);
        members.send_if_modified(|known| metrics.update_members(known));
        if let Some(stopped) = metrics.failure() {
            failure.send_replace(Some(stopped));
            return;
        }
        let changed = tokio::select! {
            biased;
            changed = receiver.changed() => changed.is_ok(),
            Ok(()) = still.changed() => true,
        };
        if !changed {
            failure.send_replace(Some(metrics.failure().unwrap_or(Failure::Panicked)));
            return;
        }
    }
}
