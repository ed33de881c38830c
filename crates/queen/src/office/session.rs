//! What the office keeps of one session, whoever leads.

use std::collections::BTreeMap;
use std::sync::Arc;

use antfarm_protocol::{AttemptRef, Log, LogRequest, QueenMessage};
use tokio::sync::oneshot;

use crate::sessions::Outbox;

/// Requests for logs that one session may be asked at the same time.
const MAX_LOG_REQUESTS: usize = 64;

pub(super) struct Session {
    outbox: Outbox,
    pub(super) unsent: Vec<QueenMessage>,
    log_requests: BTreeMap<u64, oneshot::Sender<Option<Arc<str>>>>,
    next_request: u64,
}

impl Session {
    pub(super) fn new(outbox: Outbox) -> Self {
        Self { outbox, unsent: Vec::new(), log_requests: BTreeMap::new(), next_request: 0 }
    }

    /// Sends what has been queued; tells whether the session still takes some.
    pub(super) fn send(&mut self) -> bool {
        self.outbox.send(std::mem::take(&mut self.unsent))
    }

    /// Asks for a log, unless too many are asked for; the answer is then `None`.
    pub(super) fn want_log(&mut self, attempt: AttemptRef, answer: oneshot::Sender<Option<Arc<str>>>) {
        self.log_requests.retain(|_, answer| !answer.is_closed());
        if self.log_requests.len() >= MAX_LOG_REQUESTS {
            return;
        }
        let request = self.next_request;
        self.next_request += 1;
        self.log_requests.insert(request, answer);
        self.unsent.push(LogRequest { request, attempt }.into());
    }

    pub(super) fn answer_log(&mut self, log: &Log) {
        if let Some(answer) = self.log_requests.remove(&log.request) {
            let _ = answer.send(log.found.then(|| Arc::clone(&log.text))); // whoever asked may have gone
        }
    }
}
