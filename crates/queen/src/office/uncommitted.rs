//! [`Bug::SentBeforeCommit`](antfarm_planted::Bug::SentBeforeCommit): assignments are sent as soon as they are proposed, with
//! the fence that they will have if all goes well.

use antfarm_model::LogIndex;
use antfarm_scheduler::{AttemptId, Command};

use super::dispatch::assignment;
use super::leadership::Leadership;

impl Leadership {
    pub(super) fn send_uncommitted(&mut self, commands: &[Command]) {
        let (now, epoch) = (self.clock.now(), self.epoch);
        let under_way = self.in_flight.len() as u64;
        let messages = self.shared.replica.read(|state| {
            let fence = state.fence(LogIndex(state.applied().index.0 + under_way));
            let assigned = commands.iter().filter_map(|command| {
                let Command::Assign { forager, incarnation, instances } = command else { return None };
                Some((self.session_of(*forager)?, *incarnation, *instances))
            });
            let each = assigned.flat_map(|(session, incarnation, instances)| {
                instances.iter().map(move |instance| (session, incarnation, AttemptId { instance, fence }))
            });
            let messages = each.filter_map(|(session, incarnation, id)| {
                Some((session, assignment(state, now, epoch, &mut None, incarnation, id).ok()??))
            });
            messages.collect::<Vec<_>>()
        });
        for (session, message) in messages {
            self.say_later(session, message);
        }
    }
}
