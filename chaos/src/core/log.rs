//! An abstract replicated log: what a leader of the newest term appends is committed sooner or later, or lost at the
//! next election.

use antfarm_model::LogIndex;
use antfarm_scheduler::{Entry, Position};

use crate::random::Random;

/// An entry, or the first one of a term, which is empty.
#[derive(Debug, Clone)]
pub(super) struct Logged {
    pub(super) term: u64,
    pub(super) entry: Option<Entry>,
}

#[derive(Debug, Default)]
pub(super) struct Log {
    entries: Vec<Logged>,
    committed: usize,
    term: u64,
}

impl Log {
    pub(super) fn term(&self) -> u64 {
        self.term
    }

    pub(super) fn committed(&self) -> u64 {
        self.committed as u64
    }

    /// A new term: some of what was not committed is kept, the rest is lost; the term begins with an empty entry.
    pub(super) fn elect(&mut self, random: &mut Random) -> u64 {
        let uncommitted = (self.entries.len() - self.committed) as u64;
        let kept = usize::try_from(random.below(uncommitted + 1)).unwrap_or(0);
        self.entries.truncate(self.committed + kept);
        self.term += 1 + random.below(2);
        self.entries.push(Logged { term: self.term, entry: None });
        self.commit_all();
        self.term
    }

    /// Appends in a term of which [`Log::next`] told that it is the newest.
    pub(super) fn append(&mut self, term: u64, entry: Entry) {
        self.entries.push(Logged { term, entry: Some(entry) });
    }

    /// Where the next entry of a leader comes; none, if it is not the leader any more.
    pub(super) fn next(&self, term: u64) -> Option<u64> {
        (term == self.term).then_some(self.entries.len() as u64 + 1)
    }

    /// Commits one more entry, if there is one.
    pub(super) fn commit_one(&mut self) {
        self.committed = (self.committed + 1).min(self.entries.len());
    }

    fn commit_all(&mut self) {
        self.committed = self.entries.len();
    }

    /// The committed entry at an index (from 1).
    pub(super) fn get(&self, index: u64) -> Option<(Position, &Logged)> {
        let place = usize::try_from(index.checked_sub(1)?).ok()?;
        let logged = self.entries[..self.committed].get(place)?;
        Some((Position { index: LogIndex(index), term: logged.term }, logged))
    }
}
