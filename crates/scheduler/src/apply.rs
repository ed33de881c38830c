//! The transitions: one file per command, and what they share.

mod assign;
mod cancel_graph;
mod decide;
mod delete_tool;
mod drain;
mod end;
mod forget;
mod graphs;
mod hand_back;
mod lose;
mod nodes;
mod pause_graph;
mod put_tool;
mod register;
mod remove_graph;
mod standing;
mod started;
mod step;
mod submit;
mod suspect;
mod timers;
mod tools;
mod upload;

use antfarm_model::{Elapsed, MemberId};

use step::Step;

use crate::command::Command;
use crate::draft::Drafts;
use crate::entry::{Entry, Position};
use crate::instance::Ending;
use crate::outcome::{Outcome, Refusal, Reply};
use crate::state::State;

/// The answer to one command.
type Answer = Result<Reply, Refusal>;

impl State {
    /// Applies the entry at `position`: total, deterministic, and the only thing that changes the state.
    ///
    /// An entry that was decided in another epoch than that of its term is refused as a whole. Otherwise the clocks
    /// move first, then what has become due happens, then the commands in their order.
    ///
    /// # Panics
    /// If `position` does not follow the one that was applied last: the caller has lost an entry.
    pub fn apply(&mut self, position: Position, entry: &Entry) -> Outcome {
        self.apply_drafted(position, entry, &mut Drafts::default())
    }

    /// As [`State::apply`], with graphs that were read before: the outcome is the same, and is there sooner. Drafts that
    /// are not used are left.
    ///
    /// # Panics
    /// As [`State::apply`].
    pub fn apply_drafted(&mut self, position: Position, entry: &Entry, drafts: &mut Drafts) -> Outcome {
        self.skip(position);
        self.removed.clear();
        let written = self.epoch(position.term);
        if entry.epoch != written {
            let refusal = Refusal::StaleEpoch { decided: entry.epoch, written };
            let answers = entry.commands.iter().map(|_| Err(refusal.clone())).collect();
            return Outcome { position, answers, events: Vec::new() };
        }
        self.core.wall = self.core.wall.max(entry.wall);
        self.core.elapsed = self.core.elapsed.max(entry.elapsed.min(Elapsed::LAST));
        let mut step = Step::new(self, drafts);
        step.fire_timers();
        let answers = entry.commands.iter().map(|command| step.apply(command)).collect();
        let events = step.finish();
        #[cfg(checked_state)]
        self.check_after_apply();
        Outcome { position, answers, events }
    }

    /// Passes an entry that is not ours: a leader's first one.
    ///
    /// # Panics
    /// If `position` does not follow the one that was applied last: the caller has lost an entry.
    pub fn skip(&mut self, position: Position) {
        let applied = self.core.applied;
        assert_eq!(position.index.0, applied.index.0 + 1, "entries are applied one after another");
        assert!(position.term >= applied.term, "terms never decrease with the index");
        self.core.applied = position;
    }

    /// Passes a change of membership, and keeps in mind who is no member any more.
    ///
    /// # Panics
    /// As [`State::skip`].
    pub fn skip_membership(&mut self, position: Position, removed: impl IntoIterator<Item = MemberId>) {
        self.skip(position);
        self.core.removed_members.extend(removed);
    }
}

impl Step<'_> {
    fn apply(&mut self, command: &Command) -> Answer {
        match command {
            Command::PutTool(manifest) => self.put_tool(manifest),
            Command::DeleteTool { name } => self.delete_tool(name),
            Command::Upload { upload, part, bytes, parts: _ } => self.upload(*upload, *part, bytes),
            Command::Submit(source) => self.submit(source),
            Command::CancelGraph { graph } => self.cancel_graph(*graph),
            Command::PauseGraph { graph } => self.pause_graph(*graph),
            Command::ResumeGraph { graph } => self.resume_graph(*graph),
            Command::RemoveGraph { graph, dedupe_window } => self.remove_graph(*graph, *dedupe_window),
            Command::Decide(decision) => self.decide(decision),
            Command::Register(registration) => self.register(registration),
            Command::Drain { forager } => self.drain(*forager),
            Command::Undrain { forager } => self.undrain(*forager),
            Command::Suspect { forager, incarnation } => self.suspect(*forager, *incarnation),
            Command::Trust { forager, incarnation } => self.trust(*forager, *incarnation),
            Command::Lose { forager, incarnation } => self.lose(*forager, *incarnation),
            Command::Assign { forager, incarnation, instances } => self.assign(*forager, *incarnation, instances),
            Command::Started { forager, attempts } => self.started(*forager, attempts),
            Command::Reject { forager, attempts, reason } => {
                self.hand_back(*forager, attempts, Ending::Rejected(*reason))
            }
            Command::Return { forager, attempts } => self.hand_back(*forager, attempts, Ending::Returned),
            Command::End { forager, attempts, outcome } => self.end(*forager, attempts, outcome),
        }
    }
}
