//! What was submitted so far, and what clients go on to ask about it.

use std::collections::BTreeSet;

use crate::history::{Call, DecidedVerdict, GraphSpec};
use crate::random::Random;

/// Of what was submitted, the last so many are looked at and submitted again.
const LATELY: usize = 60;

/// And cancelled, as long as most of them run.
const JUST_NOW: usize = 4;

/// What was submitted.
#[derive(Default)]
pub(crate) struct Known {
    pub(crate) graphs: Vec<GraphSpec>,
    /// The ids of those that were acknowledged.
    pub(crate) acknowledged: BTreeSet<String>,
}

/// What came of an operation, for who has to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Came {
    Done,
    Refused,
    Unknown,
}

impl Known {
    /// Something to ask for about what was submitted; nothing as long as there is nothing.
    pub(crate) fn about(&self, random: &mut Random) -> Option<Call> {
        let call = match random.below(52) {
            0..10 => Call::Submit { graph: self.submitted(random)? },
            10..13 => Call::Conflict { graph: self.acknowledged(LATELY, random)? },
            13..19 => Call::Cancel { graph: self.acknowledged(JUST_NOW, random)? },
            19..36 => Call::Read { graph: self.acknowledged(LATELY, random)?, stale: false },
            _ => Call::Read { graph: self.acknowledged(LATELY, random)?, stale: true },
        };
        Some(call)
    }

    /// One of the graphs that were submitted not long ago, acknowledged or not.
    fn submitted(&self, random: &mut Random) -> Option<GraphSpec> {
        let last = &self.graphs[self.graphs.len().saturating_sub(LATELY)..];
        random.pick(last.len()).map(|place| last[place].clone())
    }

    /// One of the last of those that were acknowledged.
    fn acknowledged(&self, lately: usize, random: &mut Random) -> Option<String> {
        let ids = self.graphs.iter().rev().map(|graph| &graph.id);
        let last: Vec<&String> = ids.filter(|id| self.acknowledged.contains(*id)).take(lately).collect();
        random.pick(last.len()).map(|place| last[place].clone())
    }
}

/// What somebody decides who cannot know better.
pub(crate) fn verdict(random: &mut Random) -> DecidedVerdict {
    match random.below(3) {
        0 => DecidedVerdict::Retry,
        1 => DecidedVerdict::Succeed,
        _ => DecidedVerdict::Fail,
    }
}
