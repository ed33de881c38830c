//! Sessions with foragers: one WebSocket each, whether this queen leads or stands by.
//!
//! A session only carries messages. What they mean is the office's business: it hears every session through one bounded
//! channel, and answers through one bounded channel each.

mod socket;

use std::sync::{Arc, Mutex, PoisonError};

use antfarm_model::ForagerNo;
use antfarm_planted::{Bug, planted};
use antfarm_protocol::{ForagerMessage, QueenMessage};
use antfarm_replication::QueueLength;
use antfarm_scheduler::AttemptId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

pub(crate) use socket::upgrade;

/// Messages of all sessions that may wait for the office; sessions that bring more wait themselves.
pub(crate) const MAX_UNHEARD: usize = 4_096;

/// The frames of those messages together, in KiB: as text, which is about what they take as messages.
const MAX_UNHEARD_KIB: usize = 64 << 10;

/// Batches of messages that may wait for one session; one that does not read is closed.
const MAX_UNSENT: usize = 1_024;

/// A session of this queen's process; never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SessionId(u64);

/// What the office hears.
pub(crate) enum Heard {
    /// A forager connected.
    Opened(SessionId, Outbox),
    /// It said something; the share of what may wait ends when it has been heard.
    Said(SessionId, Vec<ForagerMessage>, OwnedSemaphorePermit),
    /// The connection is gone.
    Closed(SessionId),
    /// Somebody wants to read what an attempt wrote to its standard error.
    LogWanted(ForagerNo, AttemptId, oneshot::Sender<Option<Arc<str>>>),
}

/// Where messages to one session go. Dropping it closes the session.
#[derive(Debug, Clone)]
pub(crate) struct Outbox(mpsc::Sender<Vec<QueenMessage>>);

impl Outbox {
    /// Hands messages over; tells whether the session still takes some.
    pub(crate) fn send(&self, messages: Vec<QueenMessage>) -> bool {
        messages.is_empty() || self.0.try_send(messages).is_ok()
    }
}

/// What became of a question for a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ForagerLog {
    /// The forager has it.
    Kept(Arc<str>),
    /// The forager has none: nothing was written, or later logs took its place.
    NotKept,
    /// The forager cannot be asked.
    NotConnected,
}

/// A cheap handle to all sessions.
#[derive(Debug, Clone)]
pub(crate) struct Sessions {
    heard: mpsc::Sender<Heard>,
    unheard: Arc<Semaphore>,
    next: Arc<std::sync::atomic::AtomicU64>,
    /// The boxes of sessions that are there, to look at their lengths.
    outboxes: Arc<Mutex<Vec<mpsc::WeakSender<Vec<QueenMessage>>>>>,
}

impl Sessions {
    /// The handle, and where everything that foragers say comes out.
    pub(crate) fn new() -> (Self, mpsc::Receiver<Heard>) {
        let (heard, receiver) = mpsc::channel(MAX_UNHEARD);
        let unheard = Arc::new(Semaphore::new(MAX_UNHEARD_KIB));
        (Self { heard, unheard, next: Arc::default(), outboxes: Arc::default() }, receiver)
    }

    /// How much waits for the office, and for a forager that reads slowly.
    pub(crate) fn queues(&self) -> [QueueLength; 3] {
        let outboxes = self.outboxes.lock().unwrap_or_else(PoisonError::into_inner);
        let longest = outboxes.iter().filter_map(mpsc::WeakSender::upgrade).map(|outbox| waiting(&outbox)).max();
        let kib = MAX_UNHEARD_KIB.saturating_sub(self.unheard.available_permits());
        [
            QueueLength { name: "what foragers said", length: waiting(&self.heard), limit: MAX_UNHEARD },
            QueueLength { name: "KiB of what foragers said", length: kib, limit: MAX_UNHEARD_KIB },
            QueueLength { name: "batches to a forager", length: longest.unwrap_or(0), limit: MAX_UNSENT },
        ]
    }

    /// What an attempt wrote to its standard error, as far as its forager kept it and can be asked.
    pub(crate) async fn forager_log(&self, forager: ForagerNo, attempt: AttemptId) -> ForagerLog {
        let (answer, log) = oneshot::channel();
        let _ = self.heard.send(Heard::LogWanted(forager, attempt, answer)).await; // then there is no answer, either
        match log.await {
            Ok(Some(text)) => ForagerLog::Kept(text),
            Ok(None) => ForagerLog::NotKept,
            Err(_) => ForagerLog::NotConnected,
        }
    }

    /// Hands over what a session said in a frame of so many bytes, as soon as there is room for it; tells whether anybody
    /// hears.
    async fn say(&self, id: SessionId, messages: Vec<ForagerMessage>, bytes: usize) -> bool {
        let bytes = bytes.max(size_of_val(messages.as_slice())); // a range is short on the wire only
        let kib = bytes.div_ceil(1 << 10).min(MAX_UNHEARD_KIB);
        let share = self.unheard.clone().acquire_many_owned(u32::try_from(kib).unwrap_or(u32::MAX)).await;
        let share = share.expect("it is never closed");
        self.heard.send(Heard::Said(id, messages, share)).await.is_ok()
    }

    fn open(&self) -> (SessionId, Outbox, mpsc::Receiver<Vec<QueenMessage>>) {
        let id = SessionId(self.next.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
        let bound = if planted(Bug::UnboundedOutbox) { Semaphore::MAX_PERMITS } else { MAX_UNSENT };
        let (sender, receiver) = mpsc::channel(bound);
        let mut outboxes = self.outboxes.lock().unwrap_or_else(PoisonError::into_inner);
        outboxes.retain(|outbox| outbox.strong_count() > 0);
        outboxes.push(sender.downgrade());
        (id, Outbox(sender), receiver)
    }
}

/// How much waits in a queue.
pub(crate) fn waiting<T>(queue: &mpsc::Sender<T>) -> usize {
    queue.max_capacity() - queue.capacity()
}
