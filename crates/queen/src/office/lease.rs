//! Heartbeats, and the leases that answer them. `DESIGN.md` of the scheduler says why no two leases overlap.

use antfarm_model::{ForagerNo, Incarnation, Span};
use antfarm_protocol::{Heartbeat, HeartbeatAck};

use super::leadership::Leadership;
use super::session::Session;
use crate::sessions::SessionId;

impl Leadership {
    pub(super) fn hear_heartbeat(&mut self, id: SessionId, session: &mut Session, heartbeat: &Heartbeat) {
        if heartbeat.epoch_seen > self.epoch {
            return self.meet_higher_epoch(id, session);
        }
        let forager = self.forager_of.get(&id).copied();
        let lease = forager.and_then(|forager| {
            self.note_contact(forager);
            self.lease(forager)
        });
        if let (Some(forager), Some((incarnation, length))) = (forager, lease) {
            let (epoch, forager, incarnation, lease_ms) = (self.epoch.0, forager.0, incarnation.0, length.0);
            tracing::debug!(epoch, forager, incarnation, lease_ms, "a lease is granted");
        }
        session.queue(HeartbeatAck {
            epoch: Some(self.epoch),
            incarnation: lease.map(|(incarnation, _)| incarnation),
            sequence: heartbeat.sequence,
            lease_ms: lease.map(|(_, length)| length.0),
        });
        if !self.forager_of.contains_key(&id) && !self.registering.contains_key(&id) {
            session.queue(self.greeting(&self.shared)); // it talks, and this leader does not know who it is
        }
    }

    /// The lease that may be granted now, and to which incarnation: none but to the one that counts, and none while a loss
    /// or another registration of the forager is on its way.
    fn lease(&self, forager: ForagerNo) -> Option<(Incarnation, Span)> {
        let incarnation = self.active.get(&forager)?.incarnation;
        let counts = self.shared.replica.read(|state| {
            state.forager(forager).is_some_and(|forager| !forager.lost && forager.incarnation == incarnation)
        });
        if !counts || self.is_judged(forager) {
            return None;
        }
        let now = self.clock.boot_time(); // before the age of the acknowledgement is read, which grows meanwhile
        let age = self.shared.replica.quorum_acked()?;
        let quorum_asked_at = now.checked_sub(age + self.clock.suspended())?;
        let length = self.shared.config.policy().lease().grant(now, quorum_asked_at)?;
        Some((incarnation, length))
    }
}
