//! openraft's own storage tests, on our log store and state machine over each engine.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use antfarm_env::{Env, SystemEnvironment};
use antfarm_model::LogIndex;
use antfarm_scheduler::{Position, State};
use antfarm_storage::{LogEngine, MemoryDisk, MemoryEngine, SegmentEngine, SledEngine, SnapshotFiles, SystemDisk};
use futures_util::{Stream, StreamExt, stream};
use openraft::errors::ErrorSource;
use openraft::storage::{EntryResponder, RaftStateMachine};
use openraft::testing::log::{StoreBuilder, Suite};
use openraft::{OptionalSend, StorageError};
use openraft_rt_tokio::TokioRuntime;
use tempfile::TempDir;

use crate::feed::Feed;
use crate::log_store::LogStore;
use crate::membership::Removed;
use crate::snapshot::{self, RaftSnapshot, SnapshotBuilder, SnapshotContent};
use crate::state_machine::StateMachine;
use crate::types::{LogId, SnapshotMeta, StoredMembership, Types};

type C = Types<TokioRuntime>;

const ENTRIES_BYTES: usize = 1 << 20;
const OUTCOMES_KEPT: usize = 16;
const SNAPSHOT_FLOOR_BYTES: u64 = 1 << 20;

/// One disk for all stores, with a folder for each, so that a store can read what another gives it.
static DISK: LazyLock<MemoryDisk> = LazyLock::new(MemoryDisk::new);
static STORE: AtomicU64 = AtomicU64::new(0);

fn build(engine: Arc<dyn LogEngine>) -> Result<(LogStore, Gaps), StorageError<C>> {
    let env = Env::new(SystemEnvironment::current());
    let log = LogStore::open(engine, env.clone(), ENTRIES_BYTES).map_err(|error| failed(&error))?;
    let folder = format!("/snapshots/{}", STORE.fetch_add(1, Ordering::Relaxed));
    let files = SnapshotFiles::open(Arc::new(DISK.clone()), Path::new(&folder)).map_err(|error| failed(&error))?;
    let feed = Feed::new(State::new(0), OUTCOMES_KEPT);
    let machine = StateMachine::new(feed.clone(), files.clone(), env, SNAPSHOT_FLOOR_BYTES, Removed::new());
    Ok((log, Gaps { feed, files, machine }))
}

/// The suite applies entries with gaps between them, which the scheduler's state rightly refuses, and hands a snapshot
/// of one store to another, which the transport does here: this fills in both.
struct Gaps {
    feed: Feed,
    files: SnapshotFiles,
    machine: StateMachine,
}

impl Gaps {
    fn carried_over(&self, meta: &SnapshotMeta, content: SnapshotContent) -> io::Result<SnapshotContent> {
        let SnapshotContent::File(file) = content else { return Ok(content) };
        let (_, mut reader) = snapshot::open(&self.files, &file)?;
        let mut writer = snapshot::begin(&self.files, meta)?;
        while let Some(chunk) = reader.next_chunk().map_err(io::Error::other)? {
            writer.write(&chunk).map_err(io::Error::other)?;
        }
        Ok(SnapshotContent::Received(Box::new(writer)))
    }
}

impl RaftStateMachine<C> for Gaps {
    type SnapshotData = SnapshotContent;
    type SnapshotBuilder = SnapshotBuilder;

    async fn applied_state(&mut self) -> io::Result<(Option<LogId>, StoredMembership)> {
        RaftStateMachine::<C>::applied_state(&mut self.machine).await
    }

    async fn apply<S>(&mut self, mut entries: S) -> io::Result<()>
    where
        S: Stream<Item = io::Result<EntryResponder<C>>> + Unpin + OptionalSend,
    {
        while let Some(item) = entries.next().await {
            let (entry, responder) = item?;
            let missing = self.feed.read(|state| state.applied().index.0) + 1..entry.log_id.index;
            for index in missing {
                self.feed.skip(Position { index: LogIndex(index), term: entry.log_id.leader_id.term });
            }
            self.machine.apply(stream::iter([Ok((entry, responder))])).await?;
        }
        Ok(())
    }

    async fn try_create_snapshot_builder(&mut self, force: bool) -> Option<SnapshotBuilder> {
        RaftStateMachine::<C>::try_create_snapshot_builder(&mut self.machine, force).await
    }

    async fn get_snapshot_builder(&mut self) -> SnapshotBuilder {
        RaftStateMachine::<C>::get_snapshot_builder(&mut self.machine).await
    }

    async fn install_snapshot(&mut self, meta: &SnapshotMeta, content: SnapshotContent) -> io::Result<()> {
        let content = self.carried_over(meta, content)?;
        RaftStateMachine::<C>::install_snapshot(&mut self.machine, meta, content).await
    }

    async fn get_current_snapshot(&mut self) -> io::Result<Option<RaftSnapshot>> {
        RaftStateMachine::<C>::get_current_snapshot(&mut self.machine).await
    }
}

fn failed<E: std::error::Error + 'static>(error: &E) -> StorageError<C> {
    StorageError::read(ErrorSource::from_error(error))
}

struct OnMemory;

impl StoreBuilder<C, LogStore, Gaps> for OnMemory {
    async fn build(&self) -> Result<((), LogStore, Gaps), StorageError<C>> {
        let (log, machine) = build(Arc::new(MemoryEngine::new()))?;
        Ok(((), log, machine))
    }
}

struct OnSled;

impl StoreBuilder<C, LogStore, Gaps, TempDir> for OnSled {
    async fn build(&self) -> Result<(TempDir, LogStore, Gaps), StorageError<C>> {
        let folder = tempfile::tempdir().map_err(|error| failed(&error))?;
        let engine = SledEngine::open(folder.path()).map_err(|error| failed(&error))?;
        let (log, machine) = build(Arc::new(engine))?;
        Ok((folder, log, machine))
    }
}

struct OnSegments;

impl StoreBuilder<C, LogStore, Gaps, TempDir> for OnSegments {
    async fn build(&self) -> Result<(TempDir, LogStore, Gaps), StorageError<C>> {
        let folder = tempfile::tempdir().map_err(|error| failed(&error))?;
        let engine = SegmentEngine::open(Arc::new(SystemDisk), folder.path()).map_err(|error| failed(&error))?;
        let (log, machine) = build(Arc::new(engine))?;
        Ok((folder, log, machine))
    }
}

#[tokio::test]
async fn the_suite_passes_on_the_memory_engine() {
    Suite::test_all(OnMemory).await.expect("the suite passes");
}

#[tokio::test]
async fn the_suite_passes_on_sled() {
    Suite::test_all(OnSled).await.expect("the suite passes");
}

#[tokio::test]
async fn the_suite_passes_on_segments() {
    Suite::test_all(OnSegments).await.expect("the suite passes");
}
