//! Sessions with foragers: one WebSocket each, whether this queen leads or stands by.
//!
//! A session only carries messages. What they mean is the office's business: it hears every session through one bounded
//! channel, and answers through one bounded channel each.

mod socket;

use std::sync::Arc;

use antfarm_model::ForagerNo;
use antfarm_protocol::{ForagerMessage, QueenMessage};
use antfarm_scheduler::AttemptId;
use tokio::sync::{mpsc, oneshot};

pub(crate) use socket::upgrade;

/// Messages of all sessions that may wait for the office; sessions that bring more wait themselves.
const MAX_UNHEARD: usize = 4_096;

/// Batches of messages that may wait for one session; one that does not read is closed.
const MAX_UNSENT: usize = 1_024;

/// A session of this queen's process; never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SessionId(u64);

/// What the office hears.
pub(crate) enum Heard {
    /// A forager connected.
    Opened(SessionId, Outbox),
    /// It said something.
    Said(SessionId, Vec<ForagerMessage>),
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

/// A cheap handle to all sessions.
#[derive(Debug, Clone)]
pub(crate) struct Sessions {
    heard: mpsc::Sender<Heard>,
    next: Arc<std::sync::atomic::AtomicU64>,
}

impl Sessions {
    /// The handle, and where everything that foragers say comes out.
    pub(crate) fn new() -> (Self, mpsc::Receiver<Heard>) {
        let (heard, receiver) = mpsc::channel(MAX_UNHEARD);
        (Self { heard, next: Arc::default() }, receiver)
    }

    /// What an attempt wrote to its standard error, as far as its forager kept it and can be asked.
    pub(crate) async fn forager_log(&self, forager: ForagerNo, attempt: AttemptId) -> Option<Arc<str>> {
        let (answer, log) = oneshot::channel();
        self.heard.send(Heard::LogWanted(forager, attempt, answer)).await.ok()?;
        log.await.ok()?
    }

    fn open(&self) -> (SessionId, Outbox, mpsc::Receiver<Vec<QueenMessage>>) {
        let id = SessionId(self.next.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
        let (sender, receiver) = mpsc::channel(MAX_UNSENT);
        (id, Outbox(sender), receiver)
    }
}
