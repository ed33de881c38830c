//! What the engines with a writer thread have in common: the queue, the thread, and what is visible meanwhile.

mod queue;
mod writer;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use crate::StorageError;
use crate::acknowledged::Acknowledged;
use crate::engine::{Bounds, Fact, LogEngine, OnDurable, Record};
use crate::sync_times::{Clock, SyncTimer, SyncTimes};
use crate::view::View;

pub(crate) use queue::Queue;
pub(crate) use writer::GroupWriter;

use writer::Hand;

/// Payload bytes of the newest records that are kept in memory, since replication reads them right back.
pub(crate) const RECENT_BYTES: usize = 16 << 20;

/// A [`LogEngine`] with one writer, as [`SledEngine::open`](crate::SledEngine::open) and
/// [`SegmentEngine::open`](crate::SegmentEngine::open) make it.
///
/// Changes that wait while others are written form the next group, which shares one sync; then come its callbacks, in
/// order. Callers wait while 64 MiB are on their way to the disk; a caller in an asynchronous task then holds its thread,
/// until the disk moves or the engine fails.
///
/// Dropping it writes what is queued, answers it, and closes the files. One that was opened by hand writes only in
/// [`QueuedEngine::write_queued`]; what is queued when it is dropped is lost, as with a process that is killed.
pub struct QueuedEngine {
    folder: PathBuf,
    queue: Arc<Queue>,
    store: Arc<dyn Store>,
    syncs: Arc<SyncTimer>,
    writer: Writer,
}

enum Writer {
    Thread(Option<JoinHandle<()>>),
    ByHand(Mutex<Hand>),
}

/// An engine's log, as it was found on its disk.
pub(crate) struct Opened<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) view: View,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) writer: Box<dyn GroupWriter>,
    pub(crate) acknowledged: Acknowledged,
    pub(crate) syncs: Arc<SyncTimer>,
}

/// Where records are read that are not in memory any more.
pub(crate) trait Store: Send + Sync + 'static {
    /// As [`LogEngine::read`]. How the view is locked while stored records are found is up to the store.
    fn read(&self, queue: &Queue, from: u64, to: u64, max_bytes: usize) -> Result<Vec<Record>, StorageError>;
}

impl QueuedEngine {
    /// An engine whose writer is a thread of its own.
    pub(crate) fn on_a_thread(opened: Opened<'_>) -> Result<Self, StorageError> {
        let folder = opened.folder;
        let (mut engine, hand) = Self::new(opened);
        let queue = Arc::clone(&engine.queue);
        let thread = std::thread::Builder::new().name("log-writer".to_owned()).spawn(move || hand.run(&queue));
        let thread = thread.map_err(|error| StorageError::io(folder, "starting a writer thread for", error))?;
        engine.writer = Writer::Thread(Some(thread));
        Ok(engine)
    }

    /// An engine that writes when it is told to by [`QueuedEngine::write_queued`].
    pub(crate) fn by_hand(opened: Opened<'_>) -> Self {
        let (mut engine, hand) = Self::new(opened);
        engine.writer = Writer::ByHand(Mutex::new(hand));
        engine
    }

    fn new(opened: Opened<'_>) -> (Self, Hand) {
        let Opened { folder, view, store, writer, acknowledged, syncs } = opened;
        let queue = Arc::new(Queue::new(view));
        let engine = Self { folder: folder.to_owned(), queue, store, syncs, writer: Writer::Thread(None) };
        (engine, Hand { writer, acknowledged })
    }

    /// Writes what is queued, as one group, on this thread; the callbacks come before it returns. Only an engine that was
    /// opened by hand has something to do here.
    pub fn write_queued(&self) {
        let Writer::ByHand(hand) = &self.writer else { return };
        let mut hand = hand.lock().unwrap_or_else(PoisonError::into_inner);
        if self.queue.readable().is_ok() {
            while let ControlFlow::Continue(true) = hand.step(&self.queue, true) {}
        }
    }
}

impl LogEngine for QueuedEngine {
    fn append(&self, records: Vec<Record>, on_durable: OnDurable) {
        self.queue.push(on_durable, |view, change| {
            view.check(&records)?;
            Ok(view.append(records, change))
        });
    }

    fn read(&self, from: u64, to: u64, max_bytes: usize) -> Result<Vec<Record>, StorageError> {
        self.store.read(&self.queue, from, to, max_bytes)
    }

    fn bounds(&self) -> Bounds {
        self.queue.state().view.bounds()
    }

    fn truncate_after(&self, index: Option<u64>, on_durable: OnDurable) {
        self.queue.push(on_durable, |view, _| Ok(view.truncate_after(index)));
    }

    fn purge_to(&self, index: u64, on_durable: OnDurable) {
        self.queue.push(on_durable, |view, _| Ok(view.purge_to(index)));
    }

    fn save_vote(&self, vote: Vec<u8>, on_durable: OnDurable) {
        self.queue.push(on_durable, |view, _| view.save_vote(vote));
    }

    fn vote(&self) -> Option<Vec<u8>> {
        self.queue.state().view.vote()
    }

    fn save_fact(&self, fact: Fact, value: Vec<u8>, on_durable: OnDurable) {
        self.queue.push(on_durable, |view, _| view.save_fact(fact, value));
    }

    fn fact(&self, fact: Fact) -> Option<Vec<u8>> {
        self.queue.state().view.fact(fact)
    }

    fn log_bytes(&self) -> u64 {
        self.queue.state().view.log_bytes()
    }

    fn time_syncs(&self, clock: Clock) {
        self.syncs.start(clock);
    }

    fn sync_times(&self) -> SyncTimes {
        self.syncs.times()
    }
}

impl Drop for QueuedEngine {
    fn drop(&mut self) {
        self.queue.close();
        let Writer::Thread(thread) = &mut self.writer else { return };
        // A callback may hold the last handle; the writer cannot wait for itself.
        let writer = thread.take().filter(|writer| writer.thread().id() != std::thread::current().id());
        if let Some(Err(panic)) = writer.map(JoinHandle::join)
            && !std::thread::panicking()
        {
            std::panic::resume_unwind(panic);
        }
    }
}

impl std::fmt::Debug for QueuedEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QueuedEngine").field("folder", &self.folder).finish_non_exhaustive()
    }
}
