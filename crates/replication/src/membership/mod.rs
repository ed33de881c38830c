//! Changes of the membership: one member, one entry, one change at a time.
//!
//! ```text
//!  change ──▶ office ──▶ plan ──▶ caught up? quorum reachable? ──▶ append, if nothing changed meanwhile
//!             (current)  (pure)   (asked of the members)           (one entry, in this office's term)
//! ```
//!
//! A change adds a learner, makes it a voter, or removes one member: the voters of two neighbouring configurations differ by
//! one at most, so every two quorums of theirs have a member in common, and no joint configuration stands between them that
//! the next leader would have to finish. The log refuses a change before the leader's first entry and the change before
//! are committed.

mod plan;
mod removed;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use antfarm_model::{LogIndex, MemberId};
use antfarm_planted::{Bug, planted};
use futures_util::future::join_all;
use openraft::async_runtime::watch::WatchReceiver;
use openraft::errors::{ChangeMembershipError, ClientWriteError, PreconditionFailed, RaftError};
use openraft::raft::Precondition;
use openraft::vote::leader_id_std::CommittedLeaderId;
use openraft::{AsyncRuntime, EntryPayload};
use tokio::time::{sleep, timeout};

use crate::core::{Core as _, RaftCore, TERM_BITS};
use crate::error::{ChangeError, NotLeading, TransferError};
use crate::member::Member;
use crate::replica::Office;
use crate::transport::{Purpose, Request, Response};
use crate::types::{Membership, StoredMembership};

pub(crate) use removed::{Removed, expelled};

/// Who answers within this time can be reached.
const ANSWER_WITHIN: Duration = Duration::from_millis(500);

/// How long to wait before asking again.
const ASK_AGAIN: Duration = Duration::from_millis(50);

/// For this long a learner that is a little behind is waited for.
const CATCH_UP_WITHIN: Duration = Duration::from_secs(1);

/// A change that is not committed by then may be, later.
const COMMIT_WITHIN: Duration = Duration::from_secs(3);

/// A change of the membership.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Adds a learner, whose id no member ever had.
    Add {
        /// Its id.
        id: MemberId,
        /// Where it is.
        member: Member,
    },
    /// Makes a learner a voter.
    Promote {
        /// Its id.
        id: MemberId,
    },
    /// Removes a member for ever.
    Remove {
        /// Its id.
        id: MemberId,
        /// Also if no quorum of the others can be reached.
        forced: bool,
    },
}

/// A change that is in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Changed {
    /// The entry by which it is, at the latest.
    pub index: LogIndex,
    /// Whether it was not before.
    pub new: bool,
}

impl<R: AsyncRuntime> RaftCore<R> {
    /// Makes a change, or finds it made, such as by the same request that came another way.
    pub(crate) async fn change(&self, change: &Change) -> Result<Changed, ChangeError> {
        let mut met_another = false;
        loop {
            let office = self.current_office().await?;
            let stored = self.configuration().await?;
            met_another |= !self.await_in_force(&stored).await?;
            let removed = self.feed.read(|state| state.removed_members().clone());
            let Some(next) = plan::next(stored.membership(), &removed, change)? else {
                return Ok(Changed { index: office.index, new: false });
            };
            if met_another {
                return Err(ChangeError::UnderWay);
            }
            self.check(change, &next, office.index).await?;
            if matches!(change, Change::Remove { id, .. } if *id == self.config.member) {
                return Err(self.step_aside().await);
            }
            let term = office.epoch.0 & ((1 << TERM_BITS) - 1);
            match self.append_configuration(next, &stored, term).await {
                Err(ChangeError::UnderWay) => met_another = true,
                appended => {
                    let index = appended?;
                    tracing::info!(?change, %index, "the membership has changed");
                    return Ok(Changed { index, new: true });
                }
            }
        }
    }

    /// Whether the cluster would go on after a change.
    async fn check(&self, change: &Change, next: &Membership, committed: LogIndex) -> Result<(), ChangeError> {
        match *change {
            Change::Add { .. } | Change::Remove { forced: true, .. } => Ok(()),
            Change::Remove { .. } if planted(Bug::QuorumNotAsked) => Ok(()),
            Change::Promote { id } => {
                self.await_caught_up(id, committed).await?;
                self.check_quorum(next, Some(id)).await
            }
            Change::Remove { .. } => self.check_quorum(next, None).await,
        }
    }

    /// Waits until a configuration is committed and applied; tells whether it was before.
    async fn await_in_force(&self, stored: &StoredMembership) -> Result<bool, ChangeError> {
        let index = LogIndex(stored.log_id().as_ref().map_or(0, |id| id.index));
        let mut applied = self.feed.applied();
        if *applied.borrow_and_update() >= index {
            return Ok(true);
        }
        match timeout(COMMIT_WITHIN, applied.wait_for(|applied| *applied >= index)).await {
            Ok(Ok(_)) => Ok(false),
            Ok(Err(_)) => Err(ChangeError::Stopped),
            Err(_) => Err(ChangeError::UnderWay),
        }
    }

    async fn current_office(&self) -> Result<Office, ChangeError> {
        self.open_office().await.map_err(|error| match error {
            NotLeading::NotLeader { leader } => ChangeError::NotLeader { leader },
            NotLeading::NoQuorum => ChangeError::NotLeader { leader: None },
            NotLeading::Stopped => ChangeError::Stopped,
        })
    }

    /// The configuration in force.
    async fn configuration(&self) -> Result<Arc<StoredMembership>, ChangeError> {
        let looked = self.raft.with_raft_state(|state| state.membership_state.effective().clone());
        looked.await.map_err(|_| ChangeError::Stopped)
    }

    /// Waits until a learner has everything that was committed when it was asked for.
    async fn await_caught_up(&self, id: MemberId, committed: LogIndex) -> Result<(), ChangeError> {
        let mut metrics = self.metrics.receiver();
        let caught_up = async {
            while self.metrics.matched(id) < Some(committed) {
                metrics.changed().await.map_err(|_| ChangeError::Stopped)?;
            }
            Ok(())
        };
        timeout(CATCH_UP_WITHIN, caught_up).await.unwrap_or_else(|_| {
            if !self.seems_to_lead() {
                return Err(ChangeError::NotLeader { leader: None });
            }
            let behind = committed.0 - self.metrics.matched(id).map_or(0, |matched| matched.0.min(committed.0));
            Err(ChangeError::NotCaughtUp { id, behind })
        })
    }

    /// Asks the voters of a configuration for a sign of life: a quorum must give one, and `required`.
    async fn check_quorum(&self, next: &Membership, required: Option<MemberId>) -> Result<(), ChangeError> {
        let voters: BTreeSet<MemberId> = next.voter_ids().map(MemberId).collect();
        let asked = voters.iter().map(async |id| {
            let member = next.get_node(&id.0)?;
            let is_there = *id == self.config.member || self.answers(*id, member).await;
            is_there.then_some(*id)
        });
        let reachable: BTreeSet<MemberId> = join_all(asked).await.into_iter().flatten().collect();
        if let Some(id) = required.filter(|id| !reachable.contains(id)) {
            return Err(ChangeError::NotReachable(id));
        }
        if reachable.len() > voters.len() / 2 {
            return Ok(());
        }
        let silent = voters.difference(&reachable).copied().collect();
        Err(ChangeError::NoQuorumLeft { voters: voters.len(), silent })
    }

    async fn answers(&self, id: MemberId, member: &Member) -> bool {
        let asked = async {
            loop {
                let answer = self.peers.call(id, &member.raft, Purpose::Control, &Request::Status, ANSWER_WITHIN).await;
                if matches!(answer, Ok(Response::Status(_))) {
                    return;
                }
                // A connection that has just failed is not tried again at once.
                sleep(ASK_AGAIN).await;
            }
        };
        timeout(ANSWER_WITHIN, asked).await.is_ok()
    }

    /// Lets another member lead, which is then to remove this one.
    async fn step_aside(&self) -> ChangeError {
        match self.transfer(None).await {
            Ok(leader) => ChangeError::NotLeader { leader: Some(leader) },
            Err(TransferError::NotLeader { leader }) => ChangeError::NotLeader { leader },
            Err(TransferError::NoSuchVoter) => ChangeError::LastVoter(self.config.member),
            Err(TransferError::NotTaken(to)) => ChangeError::NotHandedOver(to),
            Err(TransferError::Stopped) => ChangeError::Stopped,
        }
    }

    /// Appends a configuration, if the one before is still in force and this term's leadership is.
    async fn append_configuration(
        &self,
        next: Membership,
        before: &StoredMembership,
        term: u64,
    ) -> Result<LogIndex, ChangeError> {
        let conditions = [
            Precondition::LastMembershipLogId { last_membership_log_id: *before.log_id() },
            Precondition::CommittedLeaderId { committed_leader_id: CommittedLeaderId::new(term) },
        ];
        let appended = self.raft.append_membership(next, EntryPayload::Blank, conditions);
        let error = match timeout(COMMIT_WITHIN, appended).await {
            Ok(Ok(written)) => return Ok(LogIndex(written.log_id.index)),
            Ok(Err(RaftError::Fatal(_))) => return Err(ChangeError::Stopped),
            Ok(Err(RaftError::APIError(error))) => error,
            Err(_) => return Err(ChangeError::OutcomeUnknown),
        };
        Err(match error {
            ClientWriteError::ForwardToLeader(forward) => ChangeError::NotLeader { leader: self.other(&forward) },
            ClientWriteError::LogEntryDiscarded(_) => ChangeError::OutcomeUnknown,
            ClientWriteError::PreconditionFailed(PreconditionFailed::CommittedLeaderIdMismatch { .. }) => {
                ChangeError::NotLeader { leader: None }
            }
            ClientWriteError::PreconditionFailed(
                PreconditionFailed::LastLogIdMismatch { .. } | PreconditionFailed::LastMembershipLogIdMismatch { .. },
            )
            | ClientWriteError::ChangeMembershipError(
                ChangeMembershipError::InProgress(_) | ChangeMembershipError::UncommittedLeaderLog(_),
            ) => ChangeError::UnderWay,
            ClientWriteError::ChangeMembershipError(
                error @ (ChangeMembershipError::EmptyMembership(_)
                | ChangeMembershipError::LearnerNotFound(_)
                | ChangeMembershipError::UnsupportedMembershipTransition(_)
                | ChangeMembershipError::NodeMetadataChanged(_)),
            ) => {
                tracing::error!(%error, "a planned configuration was refused by the log: this is a bug");
                ChangeError::UnderWay
            }
        })
    }
}
