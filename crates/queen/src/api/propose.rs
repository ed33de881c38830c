//! Proposals with a bound on the wait: a leader without a quorum must say so.

use std::pin::pin;
use std::time::Duration;

use antfarm_replication::Leadership;
use antfarm_scheduler::{Command, Reply};
use tokio::time::{Instant, timeout};

use super::Api;
use super::problem::Problem;
use crate::shared::QUORUM_SILENT;

/// A queen that heard nothing of the others for so long may miss what happens: longer than any election in health.
const OUT_OF_TOUCH: Duration = Duration::from_secs(2);

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

    /// Whether what is committed reaches this queen: it leads a quorum, or heard from a leader not long ago.
    pub(super) fn is_in_touch(&self) -> bool {
        let replica = &self.shared.replica;
        match *replica.leadership().borrow() {
            Leadership::Leading { .. } => replica.quorum_acked().is_none_or(|ago| ago < OUT_OF_TOUCH),
            Leadership::Following { .. } => replica.leader_heard().is_some_and(|ago| ago < OUT_OF_TOUCH),
        }
    }
}
