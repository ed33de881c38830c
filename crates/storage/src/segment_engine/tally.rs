//! What a new segment repeats, so that the former ones can go: the extent of the log, the vote and the facts.

use std::collections::BTreeMap;

use crate::engine::Fact;
use crate::segment_engine::content::Content;

/// Everything that the written steps say but for the payloads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// Where the log begins, once it has begun.
    pub(super) start: Option<u64>,
    /// The index that comes next.
    pub(super) next: u64,
    pub(super) vote: Option<Vec<u8>>,
    pub(super) facts: BTreeMap<Fact, Vec<u8>>,
}

impl Tally {
    /// Takes in the next step.
    pub(super) fn apply(&mut self, content: &Content<'_>) {
        match content {
            Content::Resume { start, next } => (self.start, self.next) = (*start, *next),
            Content::Append { index, .. } => {
                self.start.get_or_insert(*index);
                self.next = index + 1;
            }
            Content::Truncate { next } => self.next = *next,
            Content::Purge { start } => {
                self.start = Some(*start);
                self.next = self.next.max(*start);
            }
            Content::Vote(vote) => self.vote = Some(vote.to_vec()),
            Content::Fact(fact, value) => {
                self.facts.insert(*fact, value.to_vec());
            }
        }
    }

    /// The steps that make another tally equal to this one.
    pub(super) fn contents(&self) -> impl Iterator<Item = Content<'_>> {
        let resume = Content::Resume { start: self.start, next: self.next };
        let vote = self.vote.as_deref().map(Content::Vote);
        let facts = self.facts.iter().map(|(fact, value)| Content::Fact(*fact, value));
        std::iter::once(resume).chain(vote).chain(facts)
    }
}
