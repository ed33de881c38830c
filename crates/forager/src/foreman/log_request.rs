//! `task.log_request`: any queen may ask for what an attempt wrote to its standard error.

use antfarm_protocol::{LARGEST_LOG_BYTES, Log, LogRequest};

use crate::foreman::Foreman;
use crate::session::SessionNo;

impl Foreman {
    pub(super) fn answer_log_request(&mut self, session: SessionNo, request: LogRequest) {
        let kept = self.parts.holdings.log(&request.attempt).or_else(|| self.logs.find(&request.attempt));
        let text = kept.map(|log| log.tail(LARGEST_LOG_BYTES));
        let answer = Log { request: request.request, found: text.is_some(), text: text.unwrap_or_default().into() };
        self.parts.sessions.tell(session, answer.into());
    }
}
