//! openraft's state machine: applies entries to the [`Feed`], answers everybody, decides when a snapshot is due.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use antfarm_env::Env;
use antfarm_model::{LogIndex, MemberId};
use antfarm_planted::{Bug, planted};
use antfarm_scheduler::{Entry, Position};
use antfarm_storage::SnapshotFiles;
use futures_util::{Stream, StreamExt};
use openraft::storage::{EntryResponder, RaftStateMachine};
use openraft::{AsyncRuntime, EntryPayload, OptionalSend};

use crate::drafts::Drafting;
use crate::durations::Durations;
use crate::feed::Feed;
use crate::membership::Removed;
use crate::record::invalid;
use crate::snapshot::{self, RaftSnapshot, SnapshotBuilder, SnapshotContent};
use crate::types::{Answer, LogId, Payload, SnapshotMeta, StoredMembership, Types};

/// Whoever holds up other entries for longer is named in the log.
const LONG: Duration = Duration::from_millis(20);

/// The state machine of a replica.
pub(crate) struct StateMachine {
    feed: Feed,
    drafting: Drafting,
    files: SnapshotFiles,
    env: Env,
    floor_bytes: u64,
    last: Option<LogId>,
    membership: StoredMembership,
    removed: Removed,
    /// Bytes of entries applied since the last snapshot was begun.
    since_snapshot: u64,
    /// Size of the last snapshot.
    snapshot_bytes: Arc<AtomicU64>,
    snapshots: Durations,
    /// For how long other entries were held up: by the application of one, and by the copy of the state for a snapshot.
    stalls: Durations,
}

impl StateMachine {
    /// A state machine that has applied nothing. openraft installs the latest snapshot and replays the log.
    pub(crate) fn new(feed: Feed, files: SnapshotFiles, env: Env, floor_bytes: u64, removed: Removed) -> Self {
        Self {
            drafting: Drafting::new(env.clone(), feed.clone()),
            feed,
            files,
            env,
            floor_bytes,
            last: None,
            membership: StoredMembership::default(),
            removed,
            since_snapshot: 0,
            snapshot_bytes: Arc::default(),
            snapshots: Durations::default(),
            stalls: Durations::default(),
        }
    }

    /// How long its snapshots take to be written, for whoever shows it.
    pub(crate) fn snapshots(&self) -> Durations {
        self.snapshots.clone()
    }

    /// For how long it holds up other entries, for whoever shows it.
    pub(crate) fn stalls(&self) -> Durations {
        self.stalls.clone()
    }

    /// The graphs that it reads ahead, for whoever waits for one.
    pub(crate) fn drafting(&self) -> Drafting {
        self.drafting.clone()
    }

    async fn apply_one(
        &mut self,
        id: LogId,
        payload: EntryPayload<Payload, u64, crate::member::Member>,
    ) -> io::Result<Answer> {
        let position = Position { index: LogIndex(id.index), term: id.leader_id.term };
        self.last = Some(id);
        match payload {
            EntryPayload::Normal(Payload(bytes)) => {
                self.since_snapshot += bytes.len() as u64;
                let began = self.env.monotonic();
                // What cannot be read is never skipped: this replica stops.
                let entry = Entry::decode(&bytes).map_err(invalid)?;
                let mut drafts = self.drafting.drafts_for(&entry).await;
                let waited = self.env.monotonic().saturating_sub(began);
                let (outcome, removed) = self.feed.apply(position, &entry, &mut drafts);
                self.drafting.follow(&entry);
                self.held_up(began, if waited > LONG { "a graph was being read" } else { "an entry was applied" });
                if !removed.is_empty() {
                    self.free(removed);
                }
                Ok(Some(outcome))
            }
            EntryPayload::Blank => {
                self.skip(position);
                Ok(None)
            }
            EntryPayload::Membership(membership) => {
                let before = std::mem::replace(&mut self.membership, StoredMembership::new(Some(id), membership));
                self.skip_membership(position, &before);
                Ok(None)
            }
        }
    }

    fn skip(&self, position: Position) {
        if position.index > LogIndex(0) {
            self.feed.skip(position);
        }
    }

    /// Other entries could not be applied since `began`, because of this.
    fn held_up(&self, began: Duration, by: &'static str) {
        let took = self.env.monotonic().saturating_sub(began);
        self.stalls.add(took);
        if took > LONG {
            tracing::info!(ms = took.as_millis(), by, index = self.last.map(|last| last.index), "entries were held up");
        }
    }

    /// Frees what may be large where that holds up nobody.
    fn free(&self, garbage: impl Send + 'static) {
        let env = self.env.clone();
        self.env.spawn(async move { env.blocking(|| drop(garbage)).await });
    }

    /// The entry at index 0 is the configuration that a cluster begins with: a new state stands behind it already.
    fn skip_membership(&self, position: Position, before: &StoredMembership) {
        if position.index > LogIndex(0) {
            let still = |id: &u64| self.membership.get_node(id).is_some();
            let gone = before.nodes().map(|(id, _)| *id).filter(|id| !still(id)).map(MemberId);
            self.feed.skip_membership(position, gone);
            self.learn_removed();
            let voters: Vec<u64> = self.membership.voter_ids().collect();
            tracing::debug!(index = position.index.0, ?voters, "a configuration is applied");
        }
    }

    fn learn_removed(&self) {
        self.feed.read(|state| self.removed.learn(state.removed_members()));
    }

    /// Whether the log has outgrown the state, so that a snapshot costs no more than the log that it replaces.
    fn snapshot_is_due(&self) -> bool {
        planted(Bug::PurgedAtOnce)
            || self.since_snapshot > self.floor_bytes.max(self.snapshot_bytes.load(Ordering::Relaxed))
    }

    fn builder(&mut self) -> SnapshotBuilder {
        self.since_snapshot = 0;
        let began = self.env.monotonic();
        let state = self.feed.read(antfarm_scheduler::State::snapshot);
        self.held_up(began, "the state was copied for a snapshot");
        SnapshotBuilder {
            files: self.files.clone(),
            state: Some(state),
            last: self.last,
            membership: self.membership.clone(),
            bytes: self.snapshot_bytes.clone(),
            env: self.env.clone(),
            times: self.snapshots.clone(),
        }
    }
}

impl<R: AsyncRuntime> RaftStateMachine<Types<R>> for StateMachine {
    type SnapshotData = SnapshotContent;
    type SnapshotBuilder = SnapshotBuilder;

    async fn applied_state(&mut self) -> io::Result<(Option<LogId>, StoredMembership)> {
        Ok((self.last, self.membership.clone()))
    }

    async fn apply<S>(&mut self, mut entries: S) -> io::Result<()>
    where
        S: Stream<Item = io::Result<EntryResponder<Types<R>>>> + Unpin + OptionalSend,
    {
        while let Some(item) = entries.next().await {
            let (entry, responder) = item?;
            let answer = self.apply_one(entry.log_id, entry.payload).await?;
            if let Some(responder) = responder {
                responder.send(answer);
            }
        }
        Ok(())
    }

    async fn try_create_snapshot_builder(&mut self, force: bool) -> Option<SnapshotBuilder> {
        (force || self.snapshot_is_due()).then(|| self.builder())
    }

    async fn get_snapshot_builder(&mut self) -> SnapshotBuilder {
        self.builder()
    }

    async fn install_snapshot(&mut self, meta: &SnapshotMeta, content: SnapshotContent) -> io::Result<()> {
        let file = match content {
            SnapshotContent::File(file) => file,
            SnapshotContent::Received(writer) => {
                let last = meta.last_log_id.map_or(0, |last| last.index);
                tracing::debug!(last, "a snapshot of another member takes the place of the state");
                writer.finish().map_err(io::Error::other)?
            }
        };
        let files = self.files.clone();
        let (state, bytes) = self.env.blocking(move || snapshot::read_state(&files, &file)).await?;
        let former = self.feed.install(state);
        self.drafting.clear();
        self.free(former);
        self.learn_removed();
        self.last = meta.last_log_id;
        self.membership = meta.last_membership.clone();
        self.since_snapshot = 0;
        self.snapshot_bytes.store(bytes, Ordering::Relaxed);
        Ok(())
    }

    async fn get_current_snapshot(&mut self) -> io::Result<Option<RaftSnapshot>> {
        let Some(file) = self.files.latest().map_err(io::Error::other)? else { return Ok(None) };
        let (meta, _) = snapshot::open(&self.files, &file)?;
        Ok(Some(RaftSnapshot { meta, snapshot: SnapshotContent::File(file) }))
    }
}
