//! The check that trusts nobody: searches for any order of the operations on one graph that explains the answers.
//!
//! Wing and Gong's search (1993) with Lowe's memory of what was tried (2017): from all operations that nothing which has
//! not happened yet must precede, one is let happen, as long as its answer is what the graph would say. Operations whose
//! outcome is unknown may happen any time or never; they are tried only where they would change something.

use std::collections::BTreeSet;

use super::calls::{Asked, Made, Said};

/// So many situations are looked at for one graph. Answers leave so little choice that a few for each operation are
/// usual; whoever comes here has found a history that the search is not made for.
const MOST_LOOKS: usize = 2_000_000;

/// Why there is no order.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// There is none: what could not be explained.
    NoOrder(String),
    /// Nobody knows: so many situations were looked at.
    GivenUp(usize),
}

/// A graph, as far as answers tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Graph<'a> {
    Absent,
    Present {
        /// Whether it is the graph that everybody submits under this id.
        own: bool,
        /// Its number and its digest, from when they were shown first.
        identity: Option<(u64, &'a str)>,
        fate: Fate<'a>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fate<'a> {
    Runs,
    /// It has come to its end by itself; how, nobody has been shown yet.
    Ended,
    /// It is in this state for ever; whether everything of it is over.
    Is(&'a str, bool),
}

const CANCELLED: &str = "cancelled";

/// What has happened, and how the graph stands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Situation<'a> {
    /// All answered operations before this one have happened.
    first: usize,
    /// And these behind it.
    beyond: BTreeSet<usize>,
    graph: Graph<'a>,
}

pub(super) fn check(calls: &[Made<'_>]) -> Result<(), Failure> {
    let (open, answered): (Vec<&Made<'_>>, Vec<&Made<'_>>) = calls
        .iter()
        .filter(|made| made.asked != Asked::ReadStale && made.said != Said::Nothing { may_count: false })
        .partition(|made| matches!(made.said, Said::Nothing { .. }));
    let beginning = Situation { first: 0, beyond: BTreeSet::new(), graph: Graph::Absent };
    let mut furthest = beginning.clone();
    let (mut seen, mut next) = (BTreeSet::from([beginning.clone()]), vec![beginning]);
    while let Some(situation) = next.pop() {
        if situation.first == answered.len() {
            return Ok(());
        }
        if seen.len() > MOST_LOOKS {
            return Err(Failure::GivenUp(seen.len()));
        }
        if situation.progress() > furthest.progress() {
            furthest.clone_from(&situation);
        }
        for follower in situation.followers(&answered, &open) {
            if seen.insert(follower.clone()) {
                next.push(follower);
            }
        }
    }
    Err(Failure::NoOrder(furthest.explain(&answered)))
}

impl<'a> Situation<'a> {
    fn progress(&self) -> usize {
        self.first + self.beyond.len()
    }

    /// What may have happened next. The operation that was invoked first comes last, and is tried first.
    fn followers(&self, answered: &[&Made<'a>], open: &[&Made<'a>]) -> Vec<Self> {
        let (candidates, before) = self.candidates(answered);
        let may_happen = open.iter().filter(|made| made.invoked < before);
        let changed = may_happen.filter_map(|made| self.graph.changed_by(made.asked));
        let mut followers: Vec<Self> = changed.map(|graph| Self { graph, ..self.clone() }).collect();
        for place in candidates.into_iter().rev() {
            let Some(graph) = self.graph.answers(answered[place]) else { continue };
            let mut follower = Self { graph, ..self.clone() };
            follower.beyond.insert(place);
            while follower.beyond.remove(&follower.first) {
                follower.first += 1;
            }
            followers.push(follower);
        }
        followers
    }

    /// Operations that nothing which has not happened yet must precede, and the place in the history before which
    /// whatever happens next was invoked.
    fn candidates(&self, answered: &[&Made<'a>]) -> (Vec<usize>, usize) {
        let (mut candidates, mut before) = (Vec::new(), usize::MAX);
        for (place, made) in answered.iter().enumerate().skip(self.first) {
            if made.invoked > before {
                break;
            }
            if !self.beyond.contains(&place) {
                before = before.min(made.returned);
                candidates.push(place);
            }
        }
        (candidates, before)
    }

    fn explain(&self, answered: &[&Made<'a>]) -> String {
        let (candidates, _) = self.candidates(answered);
        let stuck = candidates
            .iter()
            .map(|place| format!("{} at queen-{}", answered[*place].op.call, answered[*place].op.queen));
        let stuck: Vec<String> = stuck.take(3).collect();
        format!("when it is {:?}, none of these can follow: {}", self.graph, stuck.join("; "))
    }
}

impl<'a> Graph<'a> {
    /// The graph after something that may have happened unheard; nothing if that would change nothing.
    fn changed_by(self, asked: Asked) -> Option<Self> {
        match (asked, self) {
            (Asked::Submit | Asked::SubmitOther, Self::Absent) => {
                Some(Self::Present { own: asked == Asked::Submit, identity: None, fate: Fate::Runs })
            }
            (Asked::Cancel, Self::Present { own, identity, fate: Fate::Runs }) => {
                Some(Self::Present { own, identity, fate: Fate::Is(CANCELLED, false) })
            }
            (Asked::Submit | Asked::SubmitOther | Asked::Cancel | Asked::Read | Asked::ReadStale, _) => None,
        }
    }

    /// The graph after it has said that; nothing if it would not say it.
    fn answers(self, made: &Made<'a>) -> Option<Self> {
        match (self, made.said) {
            (Self::Absent, Said::NotFound) => Some(self),
            // Who made it may be told that it was there: a queen asks the leader again whose answer did not reach her.
            (Self::Absent, Said::Shown { graph, .. }) => {
                let identity = Some((graph.number, graph.digest.as_str()));
                let own = match made.asked {
                    Asked::Submit => true,
                    Asked::SubmitOther => false,
                    Asked::Cancel | Asked::Read | Asked::ReadStale => return None,
                };
                Some(Self::Present { own, identity, fate: Fate::Runs })
            }
            (Self::Present { own, identity, fate }, Said::Shown { graph, new: false, .. }) => {
                let shown = (graph.number, graph.digest.as_str());
                let fate = match made.asked {
                    Asked::Submit | Asked::SubmitOther if own != (made.asked == Asked::Submit) => return None,
                    // The graph is looked at after it was found: how it stands then is another question.
                    Asked::Submit | Asked::SubmitOther => fate,
                    Asked::Cancel => fate.cancelled()?,
                    Asked::Read | Asked::ReadStale => fate.shown(&graph.state, graph.finished)?,
                };
                identity.is_none_or(|known| known == shown).then_some(Self::Present {
                    own,
                    identity: Some(shown),
                    fate,
                })
            }
            (Self::Present { own, identity, fate }, Said::Conflict) => match made.asked {
                Asked::Submit => (!own).then_some(self),
                Asked::SubmitOther => own.then_some(self),
                Asked::Cancel => Some(Self::Present { own, identity, fate: fate.ended()? }),
                Asked::Read | Asked::ReadStale => None,
            },
            (Self::Absent | Self::Present { .. }, _) => None,
        }
    }
}

impl<'a> Fate<'a> {
    /// After a cancellation that was done.
    fn cancelled(self) -> Option<Self> {
        match self {
            Self::Runs => Some(Self::Is(CANCELLED, false)),
            Self::Is(CANCELLED, _) => Some(self),
            Self::Ended | Self::Is(..) => None,
        }
    }

    /// After a cancellation that came too late.
    fn ended(self) -> Option<Self> {
        match self {
            Self::Runs => Some(Self::Ended),
            Self::Is(CANCELLED, _) => None,
            Self::Ended | Self::Is(..) => Some(self),
        }
    }

    /// After it was shown in a state. It may have come to that by itself in the meantime, but for a cancellation.
    fn shown(self, state: &'a str, finished: bool) -> Option<Self> {
        let runs = matches!(state, "running" | "paused");
        match self {
            Self::Runs if runs && !finished => Some(self),
            Self::Runs | Self::Ended if !runs && state != CANCELLED => Some(Self::Is(state, finished)),
            Self::Is(known, was_finished) if known == state && finished >= was_finished => {
                Some(Self::Is(known, finished))
            }
            Self::Runs | Self::Ended | Self::Is(..) => None,
        }
    }
}
