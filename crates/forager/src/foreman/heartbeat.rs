//! Heartbeats to every queen, and their answers.

use std::time::Duration;

use antfarm_protocol::{Heartbeat, HeartbeatAck, Load};
use antfarm_storage::StorageError;

use crate::foreman::Foreman;
use crate::session::SessionNo;

/// Before a queen has said how often.
const FIRST_INTERVAL: Duration = Duration::from_secs(1);

/// Whatever a queen says, heartbeats are sent at least and at most this often.
const INTERVALS: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(10));

/// When the next heartbeats are due.
pub(super) struct Pulse {
    interval: Duration,
    last: Duration,
}

impl Pulse {
    pub(super) fn new(monotonic: Duration) -> Self {
        Self { interval: FIRST_INTERVAL, last: monotonic }
    }

    pub(super) fn set_interval(&mut self, milliseconds: u64) {
        self.interval = Duration::from_millis(milliseconds).clamp(INTERVALS.0, INTERVALS.1);
    }

    pub(super) fn due_in(&self, monotonic: Duration) -> Duration {
        (self.last + self.interval).saturating_sub(monotonic)
    }
}

impl Foreman {
    /// Sends heartbeats if they are due.
    pub(super) fn beat(&mut self) {
        let env = &self.parts.around.env;
        let monotonic = env.monotonic();
        if !self.pulse.due_in(monotonic).is_zero() {
            return;
        }
        self.pulse.last = monotonic;
        for session in self.parts.sessions.welcoming() {
            self.beat_on(session);
        }
    }

    /// Sends a heartbeat on a session.
    pub(super) fn beat_on(&mut self, session: SessionNo) {
        let running = u32::try_from(self.parts.holdings.running_count()).unwrap_or(u32::MAX);
        let heartbeat = Heartbeat {
            epoch_seen: self.parts.epoch.seen(),
            sequence: self.parts.sessions.next_heartbeat(session, self.parts.around.env.boot_time()),
            load: Load { running, load_average_percent: self.parts.keeping.load_average_percent() },
            running_digest: self.parts.holdings.digest(),
        };
        self.parts.sessions.tell(session, heartbeat.into());
    }

    pub(super) fn heartbeat_ack(&mut self, session: SessionNo, ack: HeartbeatAck) -> Result<(), StorageError> {
        let sent_at = self.parts.sessions.heard_of_heartbeat(session, ack.sequence);
        let leased = ack.epoch.and(ack.incarnation).and(ack.lease_ms);
        if let (Some(lease_ms), Some(sent_at)) = (leased, sent_at) {
            self.renew_lease(sent_at, lease_ms)?;
        }
        Ok(())
    }
}
