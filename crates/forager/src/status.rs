//! What a forager says of itself, for tests and displays.

use antfarm_model::{Epoch, Incarnation};

use crate::calls::Calls;
use crate::config::QueenAddress;

/// A forager at the end of one of its turns.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Status {
    /// The highest epoch that it ever saw; 0 before the first.
    pub epoch_seen: Epoch,
    /// Its incarnation, once a leader has given it one.
    pub incarnation: Option<Incarnation>,
    /// The queen that it takes work from.
    pub leader: Option<QueenAddress>,
    /// Open sessions with queens.
    pub sessions: usize,
    /// Attempts that it runs.
    pub running: usize,
    /// Attempts that it holds and has not started.
    pub unstarted: usize,
    /// Attempts that have ended and are not confirmed.
    pub unconfirmed: usize,
    /// Messages that were ignored because they came from a lower epoch.
    pub stale_messages: u64,
    /// The calls of its tools, since it was started.
    pub calls: Calls,
    /// It takes no more work.
    pub draining: bool,
}
