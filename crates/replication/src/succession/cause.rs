//! Why elections are held, as far as this member has a part in them.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use antfarm_model::MemberId;

use crate::types::Vote;

/// Why the election was held that a member won.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElectionCause {
    /// A quorum stated that the former leader is gone: its connections broke, and its address refuses new ones or is that
    /// of a new life of its process.
    Proof {
        /// The former leader.
        former: MemberId,
    },
    /// The former leader handed over.
    HandOver,
    /// No leader was heard for an election time-out.
    Silence,
}

impl ElectionCause {
    /// A word for each, for metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Proof { .. } => "proof",
            Self::HandOver => "hand_over",
            Self::Silence => "silence",
        }
    }
}

impl fmt::Display for ElectionCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Proof { former } => {
                write!(f, "member {former} is gone: its connections broke, nobody is at its address, a quorum says so")
            }
            Self::HandOver => f.write_str("the former leader handed over"),
            Self::Silence => f.write_str("no leader was heard for an election time-out"),
        }
    }
}

/// What this member campaigned for last for another reason than silence. A clone is the same one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Campaigns(Arc<Mutex<Option<(u64, ElectionCause)>>>);

impl Campaigns {
    /// This member campaigns because a leader is gone.
    pub(super) fn on_proof(&self, vote: &Vote) {
        let former = MemberId(vote.leader_id.voted_for);
        self.note(vote, ElectionCause::Proof { former });
    }

    /// A leader hands over to this member.
    pub(crate) fn handed_over(&self, vote: &Vote) {
        self.note(vote, ElectionCause::HandOver);
    }

    /// Why this member was elected in a term.
    pub(crate) fn cause(&self, term: u64) -> ElectionCause {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.filter(|(of, _)| *of == term).map_or(ElectionCause::Silence, |(_, cause)| cause)
    }

    /// A campaign is for the term after that of the vote it begins with.
    fn note(&self, vote: &Vote, cause: ElectionCause) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((vote.leader_id.term + 1, cause));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_that_of_one_term() {
        let campaigns = Campaigns::default();
        campaigns.on_proof(&Vote::new_committed(4, 2));
        assert_eq!(campaigns.cause(5), ElectionCause::Proof { former: MemberId(2) });
        assert_eq!(campaigns.cause(6), ElectionCause::Silence);
        campaigns.handed_over(&Vote::new_committed(6, 1));
        assert_eq!(campaigns.cause(7), ElectionCause::HandOver);
    }
}
