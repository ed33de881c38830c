//! `task.log_request`: any queen may ask for what an attempt wrote to its standard error.

use antfarm_protocol::{LARGEST_LOG_BYTES, Log, LogRequest};

use crate::foreman::Foreman;
use crate::session::SessionNo;

impl Foreman {
    pub(super) fn answer_log_request(&mut self, session: SessionNo, request: LogRequest) {
        let LogRequest { request, attempt } = request;
        if self.parts.holdings.is_kept(&attempt) {
            return self.parts.around.keeper.read_log(attempt, session, request);
        }
        let text = self.logs.find(&attempt).map(|log| log.tail(LARGEST_LOG_BYTES));
        self.answer_log(session, request, text);
    }

    pub(super) fn answer_log(&mut self, session: SessionNo, request: u64, text: Option<String>) {
        let answer = Log { request, found: text.is_some(), text: text.unwrap_or_default().into() };
        self.parts.sessions.tell(session, answer.into());
    }
}
