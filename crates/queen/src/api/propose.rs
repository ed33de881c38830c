//! Proposals with a bound on the wait: a leader without a quorum must say so.

use std::pin::pin;
use std::time::Duration;

use antfarm_replication::Leadership;
use antfarm_scheduler::{Command, Reply};
use tokio::time::{Instant, timeout};

use super::Api;
use super::problem::Problem;
use crate::shared::QUORUM_SILENT;

/// How often the quorum is looked at while a proposal is under way.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// The longest wait for a proposal while the quorum answers.
const PROPOSE_WITHIN: Duration = Duration::from_secs(30);

impl Api {
    /// Proposes one command, and tells what came of it.
    pub(super) async fn propose(&self, command: Command) -> Result<Reply, Problem> {
        let mut asked = pin!(self.shared.desk.propose(vec![command]));
        let deadline = Instant::now() + PROPOSE_WITHIN;
        let mut answers = loop {
            match timeout(LOOK_EVERY, &mut asked).await {
                Ok(answers) => break answers?,
                Err(_) if Instant::now() < deadline && self.may_commit() => {}
                Err(_) => return Err(Problem::outcome_unknown()),
            }
        };
        let answer = answers.pop().ok_or_else(Problem::outcome_unknown)?;
        Ok(answer?)
    }

    /// Whether this queen seems to lead and was acknowledged by a quorum not long ago.
    pub(super) fn may_commit(&self) -> bool {
        let replica = &self.shared.replica;
        let leads = matches!(*replica.leadership().borrow(), Leadership::Leading { .. });
        leads && replica.quorum_acked().is_none_or(|ago| ago < QUORUM_SILENT)
    }
}
