//! The log engine of a simulated queen: syncs take time, stand still, fail, and are lost with the power.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use antfarm_storage::{Bounds, Fact, LogEngine, MemoryEngine, OnDurable, Record, StorageError};

use tokio::time::Instant;

use super::diary::Diary;
use super::disk::Health;
use super::life::Life;
use crate::random::Random;

/// A sync takes at least this long.
const SYNC_MS: u64 = 1;

/// A disk that stands still is asked this often.
const ASK_EVERY: Duration = Duration::from_millis(10);

/// What its errors name.
const FILE: &str = "/queen/log";

/// What a disk is like.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// How much longer a sync may take, in milliseconds.
    pub(super) slow_ms: u64,
    /// It says that it has synced what it has not: only to show that somebody notices.
    pub(super) lies: bool,
}

/// The engine of one life of a queen. Clones are the same.
#[derive(Clone)]
pub(super) struct SimulatedEngine(Arc<Inner>);

struct Inner {
    engine: MemoryEngine,
    diary: Diary,
    health: Health,
    life: Life,
    random: Mutex<Random>,
    pace: Pace,
    syncing: AtomicBool,
    syncs: AtomicU64,
}

impl SimulatedEngine {
    /// Over what is durable, for a life.
    pub(super) fn new(engine: MemoryEngine, diary: Diary, health: Health, life: Life, pace: Pace) -> Self {
        diary.finds(&engine);
        let random = Mutex::new(Random::new(life.random()));
        let (syncing, syncs) = (AtomicBool::new(false), AtomicU64::new(0));
        Self(Arc::new(Inner { engine, diary, health, life, random, pace, syncing, syncs }))
    }

    /// The life is over. Of what was written and not synced, so many of a hundred changes are durable all the same, the
    /// earlier ones; what the next life finds.
    pub(super) fn after_crash(&self, percent: u64) -> MemoryEngine {
        let waiting = self.0.engine.waiting();
        let survive = waiting * usize::try_from(percent.min(100)).unwrap_or(100) / 100;
        self.0.engine.release(survive);
        self.0.engine.restart()
    }

    /// The same in the middle of a write; whether there was one. Of records that are written together only the first is
    /// there; of a single one nothing, since what is there of it does not pass for a record.
    pub(super) fn after_torn_write(&self, percent: u64) -> (MemoryEngine, bool) {
        let waiting = self.0.engine.waiting();
        drop(self.after_crash(percent.min(99)));
        self.0.engine.tear(1);
        (self.0.engine.restart(), waiting > 0)
    }

    /// How many changes wait for a sync.
    pub(super) fn unsynced(&self) -> usize {
        self.0.engine.waiting()
    }

    /// Lets a sync begin, if none is under way.
    fn kick(&self) {
        if self.0.engine.waiting() == 0 || self.0.syncing.swap(true, Ordering::Relaxed) {
            return;
        }
        let engine = self.clone();
        self.0.life.spawn(Box::pin(async move { engine.sync().await }));
    }

    async fn sync(&self) {
        loop {
            let covered = self.0.engine.waiting();
            if covered == 0 {
                break;
            }
            tokio::time::sleep(self.length()).await;
            self.wait_for_the_disk().await;
            if let Err(error) = self.0.health.check(Path::new(FILE), "syncing") {
                self.0.diary.fails(&error);
                self.0.engine.fail(&error);
                break;
            }
            self.0.syncs.fetch_add(1, Ordering::Relaxed);
            self.0.engine.release(covered);
        }
        self.0.syncing.store(false, Ordering::Relaxed);
    }

    /// Waits while the disk stands still. If the process stands still meanwhile, too, it begins anew for it: a queen who does
    /// not run notices nothing.
    async fn wait_for_the_disk(&self) {
        let (mut asked_at, mut stalled) = (None, false);
        while self.0.health.is_stalled() {
            let gap = asked_at.is_none_or(|at: Instant| at.elapsed() > 2 * ASK_EVERY);
            if gap {
                self.0.diary.stalls();
            }
            (asked_at, stalled) = (Some(Instant::now()), true);
            tokio::time::sleep(ASK_EVERY).await;
        }
        if stalled {
            self.0.diary.resumes();
        }
    }

    /// A disk that lies says so before it has done anything.
    fn early(&self, on_durable: OnDurable) -> OnDurable {
        if !self.0.pace.lies {
            return on_durable;
        }
        on_durable(Ok(()));
        Box::new(|_| {})
    }

    fn length(&self) -> Duration {
        let more = self.0.random.lock().unwrap_or_else(PoisonError::into_inner).below(self.0.pace.slow_ms + 1);
        Duration::from_millis(SYNC_MS + more)
    }
}

impl LogEngine for SimulatedEngine {
    fn append(&self, records: Vec<Record>, on_durable: OnDurable) {
        let on_durable = self.early(self.0.diary.keeps(&records, on_durable));
        self.0.engine.append(records, on_durable);
        self.kick();
    }

    fn read(&self, from: u64, to: u64, max_bytes: usize) -> Result<Vec<Record>, StorageError> {
        self.0.engine.read(from, to, max_bytes)
    }

    fn bounds(&self) -> Bounds {
        self.0.engine.bounds()
    }

    fn truncate_after(&self, index: Option<u64>, on_durable: OnDurable) {
        let on_durable = self.early(self.0.diary.truncates(index, on_durable));
        self.0.engine.truncate_after(index, on_durable);
        self.kick();
    }

    fn purge_to(&self, index: u64, on_durable: OnDurable) {
        let on_durable = self.0.diary.purges(index, on_durable);
        self.0.engine.purge_to(index, on_durable);
        self.kick();
    }

    fn save_vote(&self, vote: Vec<u8>, on_durable: OnDurable) {
        let on_durable = self.early(self.0.diary.votes(&vote, on_durable));
        self.0.engine.save_vote(vote, on_durable);
        self.kick();
    }

    fn vote(&self) -> Option<Vec<u8>> {
        self.0.engine.vote()
    }

    fn save_fact(&self, fact: Fact, value: Vec<u8>, on_durable: OnDurable) {
        self.0.engine.save_fact(fact, value, on_durable);
        self.kick();
    }

    fn fact(&self, fact: Fact) -> Option<Vec<u8>> {
        self.0.engine.fact(fact)
    }

    fn log_bytes(&self) -> u64 {
        self.0.engine.log_bytes()
    }
}
