//! Saying who the forager is and what it holds.

use antfarm_protocol::{ClassSlots, Hello};

use crate::foreman::Foreman;
use crate::session::SessionNo;

impl Foreman {
    /// Says hello on a session.
    pub(super) fn greet(&mut self, session: SessionNo) {
        let hello = self.hello();
        let now = self.parts.around.env.boot_time();
        self.parts.sessions.said_hello(session, now);
        self.parts.sessions.tell(session, hello.into());
    }

    /// Says hello to a leader, and reports every end that is not confirmed.
    pub(super) fn present(&mut self, session: SessionNo) {
        self.greet(session);
        self.parts.sessions.presented(session, self.parts.epoch.seen());
        for report in self.parts.holdings.ended() {
            self.parts.sessions.tell(session, report.message().clone());
        }
    }

    fn hello(&self) -> Hello {
        let config = &self.parts.config;
        let mut class_slots = ClassSlots::default();
        for (class, limit) in &config.class_slots {
            class_slots.0[class.index()] = Some(*limit);
        }
        Hello {
            cluster: config.cluster_id.clone(),
            name: config.name.clone(),
            process: Some(self.parts.identity.process()),
            former: self.parts.identity.former(),
            incarnation: self.parts.identity.incarnation(),
            epoch_seen: self.parts.epoch.seen(),
            rebooted: self.parts.identity.rebooted(),
            slots: config.slots,
            class_slots,
            prefetch: config.prefetch,
            tools: self.parts.tools.names(),
            draining: self.phase.is_draining(),
            running: self.parts.holdings.running().copied().collect(),
            unstarted: self.parts.holdings.unstarted().map(|(attempt, _)| *attempt).collect(),
            ended: self.parts.holdings.ended().map(crate::report::Report::attempt).collect(),
        }
    }
}
