//! `queen.welcome`: a queen says whether it leads.

use antfarm_protocol::Welcome;
use antfarm_storage::StorageError;

use crate::foreman::Foreman;
use crate::session::SessionNo;

impl Foreman {
    pub(super) fn welcome(&mut self, session: SessionNo, welcome: &Welcome) -> Result<(), StorageError> {
        self.parts.sessions.welcomed(session, welcome.member);
        self.pulse.set_interval(welcome.heartbeat_ms);
        self.parts.sessions.learn_members(&welcome.members, welcome.leading);
        let Some(epoch) = welcome.epoch.filter(|_| welcome.leading) else {
            self.parts.sessions.unfollow(session);
            if let Some(leader) = welcome.leader {
                self.parts.sessions.seek(leader);
            }
            return Ok(());
        };
        if let Some(incarnation) = welcome.incarnation {
            self.register(incarnation)?;
            let greeted_at = self.parts.sessions.hello_answered(session);
            if let (Some(lease_ms), Some(greeted_at)) = (welcome.lease_ms, greeted_at) {
                self.renew_lease(greeted_at, lease_ms)?;
            }
        }
        // A leader that names no incarnation knows nothing of this forager, whatever it was told before.
        if welcome.incarnation.is_none() || !self.parts.sessions.was_presented(session, epoch) {
            self.present(session);
        }
        if welcome.incarnation.is_some() {
            // The hello may have been said long ago, when this queen did not lead yet, and its lease be over: the answer to
            // a heartbeat brings another one round trip later.
            self.beat_on(session);
        }
        Ok(())
    }
}
