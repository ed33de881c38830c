//! The handle that queens hold: propose, read, watch. Cheap to clone; names neither openraft nor its runtime.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use antfarm_env::{Env, Net};
use antfarm_model::{Epoch, LogIndex, MemberId, WallTime};
use antfarm_scheduler::{Entry, Outcome, State};
use antfarm_storage::{Disk, LogEngine};
use openraft::AsyncRuntime;
use tokio::sync::watch;

use crate::config::ReplicaConfig;
use crate::core::{Core, Proposal};
use crate::error::{ChangeError, Failure, NotLeading, ProposeError, StartError, TransferError};
use crate::feed::{Feed, Outcomes};
use crate::member::Member;
use crate::membership::{Change, Changed};
use crate::status::{Leadership, QueueLength, ReplicaStatus};
use crate::succession::ElectionCause;

/// A running replica. All clones are one replica; it stops by [`Replica::shutdown`] or by itself ([`Replica::failed`]).
#[derive(Clone)]
pub struct Replica {
    core: Arc<dyn Core>,
    feed: Feed,
}

/// A leadership that is certain: a quorum confirmed it, and everything before it is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Office {
    /// What it proposes in, and what foragers are told.
    pub epoch: Epoch,
    /// Everything up to here, the leader's own first entry included, was committed and applied.
    pub index: LogIndex,
    /// Why this leader was elected.
    pub cause: ElectionCause,
}

/// A proposal under way. Dropping it changes nothing about its fate.
pub struct Pending(Proposal);

impl Replica {
    /// Starts a replica: loads the latest snapshot, replays the log, listens for peers.
    ///
    /// Returns when the state is as it was, at least as of the last commit that was noted; the cluster may still have no
    /// leader, or not exist yet: it is initialised in the background, when all initial members say that they are empty.
    /// `snapshots` is the folder for snapshot files on `disk`.
    pub async fn start<R: AsyncRuntime>(
        config: ReplicaConfig,
        env: Env,
        net: Net,
        engine: Arc<dyn LogEngine>,
        disk: Arc<dyn Disk>,
        snapshots: &Path,
    ) -> Result<Self, StartError> {
        let (core, feed) = crate::start::start::<R>(config, env, net, engine, disk, snapshots).await?;
        Ok(Self { core, feed })
    }

    /// Looks at the state. `f` must be short: entries are not applied meanwhile.
    pub fn read<T>(&self, f: impl FnOnce(&State) -> T) -> T {
        self.feed.read(f)
    }

    /// The last applied entry, as it rises.
    pub fn applied(&self) -> watch::Receiver<LogIndex> {
        self.feed.applied()
    }

    /// The outcomes of everything applied from now on, on every replica alike. A reader that is too slow is told so.
    pub fn outcomes(&self) -> Outcomes {
        self.feed.outcomes()
    }

    /// Who leads, as far as this replica has heard: a hint when to [`open_office`](Self::open_office), never authority.
    pub fn leadership(&self) -> watch::Receiver<Leadership> {
        self.core.leadership()
    }

    /// All members of the configuration in force, as far as this replica has heard.
    pub fn members(&self) -> watch::Receiver<BTreeMap<MemberId, Member>> {
        self.core.members()
    }

    /// Confirms by a quorum that this member leads, waits until everything before is applied, and tells the epoch.
    pub async fn open_office(&self) -> Result<Office, NotLeading> {
        self.core.open_office().await
    }

    /// Waits until the state holds everything that was committed when this was called: a linearizable read on the
    /// leader, by a round of heartbeats and without a clock.
    pub async fn read_index(&self) -> Result<LogIndex, NotLeading> {
        Ok(self.core.open_office().await?.index)
    }

    /// Queues an entry, and returns when it stands in line: entries are appended in the order of these returns.
    ///
    /// The log refuses it in any other term than that of its `epoch`. Waits while too many proposals are under way.
    pub async fn propose(&self, entry: &Entry) -> Result<Pending, ProposeError> {
        self.core.propose(entry).await.map(Pending)
    }

    /// Waits until this replica has read the graph of an upload whose last part it has applied, so that the submission only
    /// links it. Returns at once if there is nothing to wait for.
    pub async fn drafted(&self, upload: u64) {
        self.core.drafted(upload).await;
    }

    /// How long ago a quorum last acknowledged this leader, counted from when the acknowledged message was sent. Nothing
    /// if it does not lead.
    pub fn quorum_acked(&self) -> Option<Duration> {
        self.core.quorum_acked()
    }

    /// How long ago this member, as a follower, last heard from a leader that it accepts. Nothing if it never did.
    pub fn leader_heard(&self) -> Option<Duration> {
        self.core.leader_heard()
    }

    /// What there is to show.
    pub fn status(&self) -> ReplicaStatus {
        self.core.status()
    }

    /// How much waits in its queues.
    pub fn queues(&self) -> [QueueLength; 2] {
        self.core.queues()
    }

    /// Asks all voters for their wall clocks, this one included. Who does not answer `within` that time reads as none.
    pub async fn wall_clocks(&self, within: Duration) -> BTreeMap<MemberId, Option<WallTime>> {
        self.core.wall_clocks(within).await
    }

    /// Hands leadership to a voter, or to the one with the longest log, and tells to whom.
    pub async fn transfer(&self, to: Option<MemberId>) -> Result<MemberId, TransferError> {
        self.core.transfer(to).await
    }

    /// Changes the membership, and returns when the change is in force; also if it was before.
    ///
    /// Only the leader can. If it is to be removed itself, it lets another member lead, and says so by
    /// [`ChangeError::NotLeader`].
    pub async fn change_membership(&self, change: &Change) -> Result<Changed, ChangeError> {
        self.core.change_membership(change).await
    }

    /// Stops. Nothing is applied, sent or answered after it returns. The engine is released with the last handle.
    pub async fn shutdown(&self) {
        self.core.shutdown().await;
    }

    /// Waits until the replica has stopped by itself, and tells why: the process must exit. It never ends after a
    /// [`shutdown`](Self::shutdown).
    pub async fn failed(&self) -> Failure {
        self.core.failed().await
    }
}

impl Future for Pending {
    type Output = Result<Arc<Outcome>, ProposeError>;

    fn poll(mut self: std::pin::Pin<&mut Self>, context: &mut std::task::Context<'_>) -> std::task::Poll<Self::Output> {
        self.0.as_mut().poll(context)
    }
}

impl fmt::Debug for Replica {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replica").field("status", &self.status()).finish()
    }
}

impl fmt::Debug for Pending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pending")
    }
}
