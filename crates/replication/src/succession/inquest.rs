//! Who campaigns when a leader is gone, and when: decided from what members state, without a socket or a clock.
//!
//! A leadership is over for all when a quorum states it. The member with the longest log, of equals the one with the
//! lowest id, campaigns at once: everybody in that quorum can vote for it. The others follow at a distance, should it
//! come to nothing, each once.
//!
//! A member that has stated the end of one leadership states that of another only some time after it has first seen that
//! one, which is after the election. Two quorums have a member in common, so elections on proof keep that distance, whoever
//! holds them: what cuts the connections of leaders that live cannot depose one after the other.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::types::{LogId, Vote};

/// How long after the first the next one campaigns, and so on: long enough for an election between live members.
pub(super) const STAGGER: Duration = Duration::from_millis(40);

/// A statement is good for this many of the longest election time-outs; by then silence has done the same.
const GOOD_FOR_TIMEOUTS: u32 = 2;

/// What a member knows of itself at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct View {
    pub(super) vote: Vote,
    pub(super) last: Option<LogId>,
    /// The configuration in force; while it changes, both.
    pub(super) voters: Vec<BTreeSet<u64>>,
}

/// What follows from what has been found and stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Nothing.
    Open,
    /// Something will, then.
    LookAgainAt(Duration),
    /// This member campaigns now; so many members state that the leader is gone.
    Campaign(usize),
}

#[derive(Debug, Clone, Copy)]
struct Statement {
    vote: Vote,
    last: Option<LogId>,
    at: Duration,
}

/// What one member knows of leaders that are gone.
#[derive(Debug)]
pub(super) struct Inquest {
    member: u64,
    /// The least time between two elections on proof; the longest election time-out.
    spacing: Duration,
    /// The leader of this vote is gone, as far as this member sees.
    found: Option<Vote>,
    /// Whose end this member stated last.
    own: Option<Vote>,
    /// The vote in force, and since when it is as far as this member sees.
    seen: Option<(Vote, Duration)>,
    /// What each member states, this one included.
    statements: BTreeMap<u64, Statement>,
    /// Since when a quorum states that this vote's leader is gone.
    quorum: Option<(Vote, Duration)>,
    /// For this vote this member has campaigned.
    campaigned: Option<Vote>,
}

impl View {
    /// Who leads by this vote.
    pub(super) fn leader(&self) -> Option<u64> {
        self.vote.committed.then_some(self.vote.leader_id.voted_for)
    }

    fn is_quorum(&self, members: &BTreeSet<u64>) -> bool {
        !self.voters.is_empty() && self.voters.iter().all(|half| half.intersection(members).count() > half.len() / 2)
    }

    fn is_voter(&self, member: u64) -> bool {
        self.voters.iter().any(|half| half.contains(&member))
    }
}

impl Inquest {
    pub(super) fn new(member: u64, spacing: Duration) -> Self {
        let (found, own, seen, statements) = (None, None, None, BTreeMap::new());
        Self { member, spacing, found, own, seen, statements, quorum: None, campaigned: None }
    }

    /// Another member states that the leader of a vote is gone. What it stated of a later one stays.
    pub(super) fn hear(&mut self, member: u64, vote: Vote, last: Option<LogId>, now: Duration) {
        let known = self.statements.get(&member);
        if member != self.member && known.is_none_or(|known| known.vote.leader_id.term <= vote.leader_id.term) {
            self.statements.insert(member, Statement { vote, last, at: now });
        }
    }

    /// This member has proof that the leader of the vote is gone.
    pub(super) fn find(&mut self, vote: Vote) {
        self.found = Some(vote);
    }

    /// This member has learnt that the leader lives.
    pub(super) fn withdraw(&mut self) {
        self.found = None;
        self.statements.remove(&self.member);
    }

    /// Whether this member states that the leader of the vote is gone.
    pub(super) fn states(&self, vote: Vote) -> bool {
        self.statements.get(&self.member).is_some_and(|own| own.vote == vote)
    }

    /// Looks at what has been found and stated.
    pub(super) fn judge(&mut self, view: &View, now: Duration) -> Verdict {
        self.forget(view, now);
        if view.leader().is_none_or(|leader| leader == self.member) || !view.is_voter(self.member) {
            return Verdict::Open;
        }
        if let Some(due) = self.state(view, now) {
            return Verdict::LookAgainAt(due);
        }
        let stated = self.statements.iter().filter(|(_, statement)| statement.vote == view.vote);
        let stated: BTreeMap<u64, Option<LogId>> =
            stated.map(|(member, statement)| (*member, statement.last)).collect();
        let members: BTreeSet<u64> = stated.keys().copied().filter(|member| view.is_voter(*member)).collect();
        if !members.contains(&self.member) || !view.is_quorum(&members) || self.campaigned == Some(view.vote) {
            return Verdict::Open;
        }
        let (_, since) = *self.quorum.get_or_insert((view.vote, now));
        let before = members.iter().filter(|member| self.goes_before(**member, stated[*member], view.last)).count();
        let due = since + STAGGER * u32::try_from(before).unwrap_or(u32::MAX);
        if now < due {
            return Verdict::LookAgainAt(due);
        }
        self.campaigned = Some(view.vote);
        Verdict::Campaign(members.len())
    }

    /// States what was found; tells when it may, if that is not now.
    fn state(&mut self, view: &View, now: Duration) -> Option<Duration> {
        if self.found == Some(view.vote) {
            let stated_another = self.own.is_some_and(|vote| vote != view.vote);
            let due = self.seen.filter(|_| stated_another).map(|(_, since)| since + self.spacing);
            if due.is_some_and(|due| now < due) {
                return due;
            }
            self.found = None;
            self.statements.insert(self.member, Statement { vote: view.vote, last: view.last, at: now });
        }
        if self.states(view.vote) {
            self.own = Some(view.vote);
        }
        None
    }

    /// Whether another member campaigns before this one.
    fn goes_before(&self, other: u64, its_last: Option<LogId>, own_last: Option<LogId>) -> bool {
        its_last > own_last || (its_last == own_last && other < self.member)
    }

    /// Drops what is too old, and what is about leaders before the current vote.
    fn forget(&mut self, view: &View, now: Duration) {
        self.seen = self.seen.filter(|(vote, _)| *vote == view.vote).or(Some((view.vote, now)));
        let (term, good_for) = (view.vote.leader_id.term, self.spacing * GOOD_FOR_TIMEOUTS);
        self.statements.retain(|_, statement| statement.vote.leader_id.term >= term && now < statement.at + good_for);
        self.found = self.found.filter(|vote| vote.leader_id.term >= term);
        self.quorum = self.quorum.filter(|(vote, _)| *vote == view.vote);
    }
}
