//! What a queen said: fenced by its epoch and its addressee, then passed to what it is about.

use std::cmp::Ordering;

use antfarm_model::Epoch;
use antfarm_protocol::QueenMessage;
use antfarm_storage::StorageError;

use crate::foreman::Foreman;
use crate::session::SessionNo;

impl Foreman {
    pub(super) fn hear(&mut self, session: SessionNo, message: QueenMessage) -> Result<(), StorageError> {
        if !self.parts.sessions.is_open(session) {
            return Ok(());
        }
        if let Some(epoch) = message.epoch() {
            match epoch.cmp(&self.parts.epoch.seen()) {
                Ordering::Less => {
                    self.stale_messages += 1;
                    tracing::warn!(kind = message.type_name(), %epoch, seen = %self.parts.epoch.seen(), "ignored: a lower epoch");
                    return Ok(());
                }
                Ordering::Equal => {}
                Ordering::Greater => self.learn(epoch)?,
            }
            self.parts.sessions.follow(session);
        }
        let (addressee, own) = (message.addressee(), self.parts.identity.incarnation());
        if addressee.is_some() && addressee != own {
            self.stale_messages += 1;
            tracing::warn!(kind = message.type_name(), ?addressee, ?own, "ignored: addressed to another incarnation");
            return Ok(());
        }
        match message {
            QueenMessage::Welcome(welcome) => self.welcome(session, &welcome),
            QueenMessage::HeartbeatAck(ack) => self.heartbeat_ack(session, ack),
            QueenMessage::Assign(assign) => self.assign(assign),
            QueenMessage::Cancel(cancel) => self.cancel(cancel),
            QueenMessage::Recall(recall) => self.recall(&recall),
            QueenMessage::Confirmed(confirmed) => self.confirm(&confirmed),
            QueenMessage::LogRequest(request) => {
                self.answer_log_request(session, request);
                Ok(())
            }
            QueenMessage::Refused(refused) => {
                tracing::warn!(queen = ?self.parts.sessions.address(session), reason = %refused.reason, "refused");
                self.parts.sessions.drop_session(session);
                Ok(())
            }
        }
    }

    /// A higher epoch is on disk before anything follows from it. What is held unstarted stays, until the new leader sends
    /// it again: [`Foreman::begin_held`] compares its epoch.
    fn learn(&mut self, epoch: Epoch) -> Result<(), StorageError> {
        tracing::info!(%epoch, "a new leader");
        self.parts.epoch.raise(epoch)?;
        self.parts.sessions.follow_nobody();
        Ok(())
    }
}
