//! What waits to be proposed, and what is under way.

use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use antfarm_model::ForagerNo;
use antfarm_protocol::AttemptRef;
use antfarm_replication::{Pending, ProposeError};
use antfarm_scheduler::{AttemptOutcome, Command, GraphSource, Outcome};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::sync::oneshot;

use crate::desk::{Answers, ProposeFailure};
use crate::sessions::SessionId;

/// Proposals that may be under way at the same time. What comes meanwhile waits for the next one, so that under load one
/// entry, with one sync and one round trip, serves what came in during another.
pub(super) const MAX_UNDER_WAY: usize = 2;

/// What a command takes in an entry beside its long texts, in bytes: more than any of them does.
const COMMAND_BYTES: usize = 128;

/// Commands that belong together, and who waits for them.
pub(super) struct Item {
    pub(super) commands: Vec<Command>,
    pub(super) whom: Whom,
}

/// Who is told what became of commands.
pub(super) enum Whom {
    Nobody,
    /// The leadership itself decided it by what it knew then, and decides anew when it comes to nothing.
    Leadership,
    Asker(oneshot::Sender<Result<Answers, ProposeFailure>>),
    /// That forager may forget ended attempts, whatever the answer.
    Confirm(ForagerNo, Vec<AttemptRef>),
    /// The forager of that session waits for its incarnation.
    Registering(SessionId),
}

impl Item {
    /// Tells an asker that there is no answer.
    pub(super) fn fail(self, failure: ProposeFailure) {
        if let Whom::Asker(answer) = self.whom {
            let _ = answer.send(Err(failure)); // the asker may have gone
        }
    }
}

/// An entry under way.
pub(super) struct Proposal {
    pub(super) items: Vec<Item>,
    pub(super) proposed_at: Duration,
}

type Settling = Pin<Box<dyn Future<Output = (u64, Result<Arc<Outcome>, ProposeError>)> + Send>>;

/// A queue in front, and entries under way behind it.
#[derive(Default)]
pub(super) struct Proposals {
    queue: VecDeque<Item>,
    under_way: BTreeMap<u64, Proposal>,
    settling: FuturesUnordered<Settling>,
    next: u64,
}

impl Proposals {
    pub(super) fn queue(&mut self, item: Item) {
        self.queue.push_back(item);
    }

    /// Queues what a forager reported about an attempt, as one command with what stands before it if that says the same.
    pub(super) fn queue_report(&mut self, forager: ForagerNo, attempt: AttemptRef, report: Command) {
        if let Some(Item { commands, whom: Whom::Confirm(of, attempts) }) = self.queue.back_mut()
            && *of == forager
            && commands.last_mut().is_some_and(|last| last.join(&report))
        {
            return attempts.push(attempt);
        }
        self.queue(Item { commands: vec![report], whom: Whom::Confirm(forager, vec![attempt]) });
    }

    /// Puts items back that were not proposed after all, before everything else, in their order. Decisions are dropped:
    /// what they relied on may have changed.
    pub(super) fn put_back(&mut self, items: Vec<Item>) {
        for item in items.into_iter().rev() {
            if !matches!(item.whom, Whom::Leadership) {
                self.queue.push_front(item);
            }
        }
    }

    pub(super) fn queued(&self) -> usize {
        self.queue.len()
    }

    pub(super) fn has_room(&self) -> bool {
        self.under_way.len() < MAX_UNDER_WAY
    }

    pub(super) fn is_idle(&self) -> bool {
        self.under_way.is_empty() && self.queue.is_empty()
    }

    /// Takes from the queue what fits into an entry of `bytes`; at least one item, if there is one.
    pub(super) fn take(&mut self, bytes: usize) -> Vec<Item> {
        let mut taken = Vec::new();
        let mut used = 0;
        while let Some(item) = self.queue.front() {
            let size: usize = item.commands.iter().map(size_of_command).sum();
            if !taken.is_empty() && used + size > bytes {
                break;
            }
            used += size;
            taken.extend(self.queue.pop_front());
        }
        taken
    }

    /// The number of the next proposal.
    pub(super) fn next_number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    pub(super) fn enter(&mut self, number: u64, items: Vec<Item>, proposed_at: Duration, pending: Pending) {
        self.under_way.insert(number, Proposal { items, proposed_at });
        self.settling.push(Box::pin(async move { (number, pending.await) }));
    }

    /// Waits for the next entry to be settled. Safe to drop half-way. Never ends while nothing is under way.
    pub(super) async fn settle(&mut self) -> (u64, Proposal, Result<Arc<Outcome>, ProposeError>) {
        loop {
            match self.settling.next().await {
                Some((number, outcome)) => {
                    if let Some(proposal) = self.under_way.remove(&number) {
                        return (number, proposal, outcome);
                    }
                }
                None => std::future::pending().await,
            }
        }
    }

    /// Gives up: what is queued was not proposed, what is under way has an unknown outcome.
    pub(super) fn end(self) {
        self.queue.into_iter().for_each(|item| item.fail(ProposeFailure::NotLeading));
        self.under_way
            .into_values()
            .flat_map(|proposal| proposal.items)
            .for_each(|item| item.fail(ProposeFailure::OutcomeUnknown));
    }
}

fn size_of_command(command: &Command) -> usize {
    let text = match command {
        Command::End { outcome: AttemptOutcome::Succeeded { result }, .. } => result.len(),
        Command::End { outcome: AttemptOutcome::Failed { message, .. }, .. } => message.len(),
        Command::Upload { bytes, .. } | Command::Submit(GraphSource::Inline(bytes)) => bytes.len(),
        Command::Register(registration) => registration.known.len() * 32 + registration.tools.len() * 130,
        Command::Decide(_) => 1 << 17,
        Command::PutTool(_)
        | Command::DeleteTool { .. }
        | Command::Submit(GraphSource::Uploaded { .. })
        | Command::CancelGraph { .. }
        | Command::PauseGraph { .. }
        | Command::ResumeGraph { .. }
        | Command::RemoveGraph { .. }
        | Command::Drain { .. }
        | Command::Undrain { .. }
        | Command::Suspect { .. }
        | Command::Trust { .. }
        | Command::Lose { .. }
        | Command::Assign { .. }
        | Command::Started { .. }
        | Command::Reject { .. }
        | Command::Return { .. }
        | Command::End { outcome: AttemptOutcome::Cancelled { .. } | AttemptOutcome::Interrupted, .. } => 0,
    };
    COMMAND_BYTES + text
}

#[cfg(test)]
mod tests {
    use antfarm_model::{Fence, GraphNo, Incarnation, NodeNo};

    use super::*;
    use crate::office::convert;

    #[test]
    fn reports_that_say_the_same_of_neighbours_are_one_command_and_each_is_confirmed() {
        let attempt = |index| AttemptRef { graph: GraphNo(1), node: NodeNo(2), index, fence: Fence(9) };
        let report = |forager, index, result: &str| Command::End {
            forager: ForagerNo(forager),
            attempts: convert::attempt_id(attempt(index)).into(),
            outcome: AttemptOutcome::Succeeded { result: result.into() },
        };
        let mut proposals = Proposals::default();
        let said = [(1, 0, "1"), (1, 1, "1"), (1, 2, "2"), (2, 3, "2"), (2, 4, "2"), (2, 6, "2")];
        for (forager, index, result) in said {
            proposals.queue_report(ForagerNo(forager), attempt(index), report(forager, index, result));
        }
        let confirmed: Vec<(u32, Vec<u32>)> = (proposals.take(usize::MAX).into_iter())
            .filter_map(|item| match (item.commands.len(), item.whom) {
                (1, Whom::Confirm(forager, attempts)) => Some((forager.0, attempts.iter().map(|a| a.index).collect())),
                (_, _) => None,
            })
            .collect();
        assert_eq!(confirmed, [(1, vec![0, 1]), (1, vec![2]), (2, vec![3, 4]), (2, vec![6])]);
    }

    #[test]
    fn what_was_not_proposed_waits_in_its_order_and_decisions_are_made_anew() {
        let item = |forager, whom| Item { commands: vec![Command::Drain { forager: ForagerNo(forager) }], whom };
        let lose = Command::Lose { forager: ForagerNo(9), incarnation: Incarnation(1) };
        let mut proposals = Proposals::default();
        proposals.queue(item(3, Whom::Nobody));
        let decided = Item { commands: vec![lose], whom: Whom::Leadership };
        proposals.put_back(vec![item(1, Whom::Nobody), decided, item(2, Whom::Nobody)]);
        let commands: Vec<Command> = proposals.take(usize::MAX).into_iter().flat_map(|item| item.commands).collect();
        assert_eq!(commands, [1, 2, 3].map(|forager| Command::Drain { forager: ForagerNo(forager) }));
    }
}
