//! openraft's log storage over a [`LogEngine`].
//!
//! Order and durability are the engine's: everything goes through its one queue. A vote is durable when it is saved, but
//! for the news that its leader was elected; an append is readable when it returns and reported when it is durable; a
//! purge is preceded by the note of its place, and nobody waits for it.

use std::fmt::Debug;
use std::io;
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;
use std::time::Duration;

use antfarm_env::Env;
use antfarm_planted::{Bug, planted};
use antfarm_storage::{Fact, LogEngine, OnDurable, Record, StorageError};
use openraft::storage::{IOFlushed, RaftLogStorage};
use openraft::{AsyncRuntime, LogState, OptionalSend, RaftLogReader};
use tokio::sync::oneshot;

use crate::record::{decode_entry, decode_log_id, decode_vote, encode_entry, encode_log_id, encode_vote};
use crate::types::{LeaderId, LogId, RaftEntry, Types, Vote};

/// The log of a replica. Clones read the same log.
#[derive(Clone)]
pub(crate) struct LogStore {
    engine: Arc<dyn LogEngine>,
    env: Env,
    /// How many bytes of entries [`RaftLogReader::limited_get_log_entries`] may return.
    entries_bytes: usize,
    committed: Committed,
    /// For whom the last durable vote is.
    voted_for: Option<LeaderId>,
}

/// How far the log is committed, and when that was last queued for the disk.
#[derive(Debug, Clone, Copy, Default)]
struct Committed {
    last: Option<LogId>,
    saved_at: Option<Duration>,
}

/// The commit point is only a hint for the next start, so it does not go to the disk each time.
const SAVE_COMMITTED_EVERY: Duration = Duration::from_millis(100);

impl LogStore {
    /// Opens the log, and repeats a purge that was cut short after its note.
    pub(crate) fn open(engine: Arc<dyn LogEngine>, env: Env, entries_bytes: usize) -> io::Result<Self> {
        let store = Self { engine, env, entries_bytes, committed: Committed::default(), voted_for: None };
        if let Some(purged) = store.purged()? {
            store.engine.purge_to(purged.index, unwatched());
        }
        Ok(store)
    }

    fn read(&self, from: u64, to: u64, max_bytes: usize) -> io::Result<Vec<RaftEntry>> {
        let records = self.engine.read(from, to, max_bytes).map_err(io::Error::other)?;
        records.iter().map(|record| decode_entry(record.index, &record.payload)).collect()
    }

    /// Whether a vote adds nothing that must not be forgotten: that its leader was elected is no promise, and the vote for
    /// it is durable. It goes to the disk with the entries behind it, and an election is one sync shorter for each member.
    fn is_kept(&self, vote: &Vote) -> bool {
        vote.committed && self.voted_for == Some(vote.leader_id)
    }

    fn purged(&self) -> io::Result<Option<LogId>> {
        self.engine.fact(Fact::Purged).map(|bytes| decode_log_id(&bytes)).transpose()
    }
}

/// For a change that nobody waits for: a failure ends the engine, and the next append says so.
fn unwatched() -> OnDurable {
    Box::new(|_| ())
}

/// Queues a change and waits until it is durable.
pub(crate) async fn durable(change: impl FnOnce(OnDurable)) -> Result<(), StorageError> {
    let (done, wait) = oneshot::channel();
    change(Box::new(move |result| {
        let _ = done.send(result);
    }));
    wait.await.expect("an engine calls back for every change, or the process has ended")
}

impl<R: AsyncRuntime> RaftLogReader<Types<R>> for LogStore {
    async fn try_get_log_entries<RB: RangeBounds<u64> + Clone + Debug + OptionalSend>(
        &mut self,
        range: RB,
    ) -> io::Result<Vec<RaftEntry>> {
        let (from, to) = bounds(&range);
        self.read(from, to, usize::MAX)
    }

    async fn limited_get_log_entries(&mut self, start: u64, end: u64) -> io::Result<Vec<RaftEntry>> {
        self.read(start, end, self.entries_bytes)
    }

    async fn read_vote(&mut self) -> io::Result<Option<Vote>> {
        self.engine.vote().map(|bytes| decode_vote(&bytes)).transpose()
    }
}

impl<R: AsyncRuntime> RaftLogStorage<Types<R>> for LogStore {
    type LogReader = Self;

    async fn get_log_state(&mut self) -> io::Result<LogState<Types<R>>> {
        let last_purged_log_id = self.purged()?;
        let last = match self.engine.bounds().last {
            Some(last) => self.read(last, last + 1, usize::MAX)?.pop().map(|entry| entry.log_id),
            None => None,
        };
        Ok(LogState { last_purged_log_id, last_log_id: last.or(last_purged_log_id) })
    }

    async fn get_log_reader(&mut self) -> Self {
        self.clone()
    }

    async fn save_vote(&mut self, vote: &Vote) -> io::Result<()> {
        if planted(Bug::VoteBeforeSync) || self.is_kept(vote) {
            self.engine.save_vote(encode_vote(vote), unwatched());
            return Ok(());
        }
        durable(|on_durable| self.engine.save_vote(encode_vote(vote), on_durable)).await.map_err(io::Error::other)?;
        self.voted_for = Some(vote.leader_id);
        Ok(())
    }

    async fn save_committed(&mut self, committed: Option<LogId>) -> io::Result<()> {
        self.committed.last = committed;
        let now = self.env.monotonic();
        let due = self.committed.saved_at.is_none_or(|saved| now >= saved + SAVE_COMMITTED_EVERY);
        if let (Some(committed), true) = (committed, due) {
            self.committed.saved_at = Some(now);
            self.engine.save_fact(Fact::Committed, encode_log_id(committed), unwatched());
        }
        Ok(())
    }

    async fn read_committed(&mut self) -> io::Result<Option<LogId>> {
        match self.committed.last {
            Some(committed) => Ok(Some(committed)),
            None => self.engine.fact(Fact::Committed).map(|bytes| decode_log_id(&bytes)).transpose(),
        }
    }

    async fn append<I>(&mut self, entries: I, callback: IOFlushed<Types<R>>) -> io::Result<()>
    where
        I: IntoIterator<Item = RaftEntry> + OptionalSend,
        I::IntoIter: OptionalSend,
    {
        let records = entries
            .into_iter()
            .map(|entry| Record { index: entry.log_id.index, payload: encode_entry(&entry) })
            .collect();
        if planted(Bug::AckBeforeSync) {
            self.engine.append(records, unwatched());
            callback.io_completed(Ok(()));
            return Ok(());
        }
        let on_durable = move |result: Result<(), StorageError>| match result {
            Err(_) if planted(Bug::FailedSyncIgnored) => callback.io_completed(Ok(())),
            // Whoever is never told goes on with what the others have.
            Err(_) if planted(Bug::OfficeWithoutDisk) => std::mem::forget(callback),
            result => callback.io_completed(result.map_err(io::Error::other)),
        };
        self.engine.append(records, Box::new(on_durable));
        Ok(())
    }

    async fn truncate_after(&mut self, last: Option<LogId>) -> io::Result<()> {
        let last = last.map(|last| last.index);
        durable(|on_durable| self.engine.truncate_after(last, on_durable)).await.map_err(io::Error::other)
    }

    async fn purge(&mut self, upto: LogId) -> io::Result<()> {
        // The note comes first in the same queue: no crash can leave a purged log without it.
        self.engine.save_fact(Fact::Purged, encode_log_id(upto), unwatched());
        self.engine.purge_to(upto.index, unwatched());
        Ok(())
    }
}

/// `from..to` of any range of indices.
fn bounds(range: &impl RangeBounds<u64>) -> (u64, u64) {
    let from = match range.start_bound() {
        Bound::Included(from) => *from,
        Bound::Excluded(before) => before + 1,
        Bound::Unbounded => 0,
    };
    let to = match range.end_bound() {
        Bound::Included(last) => last.saturating_add(1),
        Bound::Excluded(to) => *to,
        Bound::Unbounded => u64::MAX,
    };
    (from, to)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use antfarm_env::SystemEnvironment;
    use antfarm_storage::{MemoryDisk, SegmentEngine};
    use futures_util::FutureExt as _;
    use openraft_rt_tokio::TokioRuntime;

    use super::*;

    const SEGMENT_BYTES: u64 = 1 << 20;

    /// Whether saving a vote waits for the disk, which writes it then.
    fn waits(log: &mut LogStore, engine: &antfarm_storage::QueuedEngine, vote: Vote) -> bool {
        let mut saved = RaftLogStorage::<Types<TokioRuntime>>::save_vote(log, &vote).boxed();
        let waits = match (&mut saved).now_or_never() {
            Some(saved) => {
                saved.expect("it is queued");
                false
            }
            None => true,
        };
        engine.write_queued();
        if waits {
            saved.now_or_never().expect("it is durable now").expect("a disk in memory takes everything");
        }
        waits
    }

    #[tokio::test]
    async fn a_vote_waits_for_the_disk_and_the_news_that_its_leader_was_elected_does_not() {
        let disk = Arc::new(MemoryDisk::new());
        let engine = SegmentEngine::open_by_hand(disk, Path::new("/log"), SEGMENT_BYTES).expect("it is empty");
        let engine = Arc::new(engine);
        let env = Env::new(SystemEnvironment::current());
        let mut log = LogStore::open(engine.clone(), env, 1 << 20).expect("it is empty");
        for (vote, expected) in [
            (Vote::new(1, 7), true),
            (Vote::new_committed(1, 7), false),
            (Vote::new_committed(2, 7), true),
            (Vote::new(3, 8), true),
            (Vote::new_committed(3, 8), false),
        ] {
            assert_eq!(waits(&mut log, &engine, vote), expected, "{vote}");
            assert_eq!(engine.vote(), Some(encode_vote(&vote)), "it is kept in any case");
        }
    }
}
