//! What can happen in one step.

use std::fmt;

use super::scope::Scope;
use super::world::{ATTEMPTS, FORAGERS, Held, LEADERS, MAX_RESTARTS, Office, World};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// Time passes; leases and what runs under them end.
    Tick,
    /// The other queen is elected; of what the first one had under way, so many entries are kept.
    Elect { kept: usize },
    /// An entry is committed and applied.
    Commit { leader: usize },
    /// A leader proposes what follows from what she knows.
    Decide { leader: usize },
    /// The queen who led applies what was committed since, and does not notice that she leads no more.
    CatchUp,
    /// The first queen is restarted, and resumes her term.
    Resume,
    /// A forager says who it is, what it holds, and that it is there.
    Hello { forager: usize, leader: usize },
    /// A forager says that an attempt has ended.
    Report { forager: usize, leader: usize, attempt: usize },
    /// `task.assign` arrives.
    HearAssign { leader: usize, attempt: usize },
    /// `task.cancel` arrives.
    HearCancel { leader: usize, attempt: usize },
    /// `task.confirmed` arrives.
    HearConfirmed { leader: usize, attempt: usize },
    /// `queen.welcome` arrives.
    HearWelcome { leader: usize, forager: usize },
    /// A program ends by itself.
    Finish { forager: usize, attempt: usize },
    /// A forager's process is killed and started again, with its keeper or without.
    Restart { forager: usize, with_keeper: bool },
    /// Somebody decides that the node is tried again.
    Retry,
}

impl Action {
    /// Whether it can change anything, as far as that is seen at a glance.
    pub(super) fn is_possible(self, world: &World) -> bool {
        let [former, successor] = &world.leaders;
        let leads = |leader: usize| matches!(world.leaders[leader].office, Office::Held | Office::Lost);
        let holds = |forager: usize, attempt: usize| world.foragers[forager].attempts[attempt];
        match self {
            Self::Elect { kept } => successor.office == Office::Awaited && kept <= former.under_way.len(),
            Self::Commit { leader } => !world.leaders[leader].under_way.is_empty(),
            Self::Decide { leader } => world.leaders[leader].office == Office::Held,
            Self::CatchUp => former.office == Office::Lost,
            Self::Resume => former.office == Office::Held,
            Self::Hello { leader, .. } => leads(leader),
            Self::Report { forager, leader, attempt } => {
                leads(leader) && matches!(holds(forager, attempt), Held::Ended(_))
            }
            Self::HearAssign { leader, attempt } => world.post[leader].assigns[attempt].is_some(),
            Self::HearCancel { leader, attempt } => world.post[leader].cancels[attempt].is_some(),
            Self::HearConfirmed { leader, attempt } => world.post[leader].confirmed[attempt],
            Self::HearWelcome { leader, forager } => world.post[leader].welcomes[forager].is_some(),
            Self::Finish { forager, attempt } => holds(forager, attempt) == Held::Running,
            Self::Restart { .. } => world.restarts < MAX_RESTARTS,
            Self::Tick | Self::Retry => true,
        }
    }

    /// All that may be possible, always in the same order.
    pub(super) fn all(scope: &Scope) -> Vec<Self> {
        let mut all = vec![Self::Tick, Self::CatchUp, Self::Resume, Self::Retry];
        all.extend((0..=scope.under_way).filter(|_| scope.has_successor).map(|kept| Self::Elect { kept }));
        for forager in 0..FORAGERS {
            all.extend([false, true].map(|with_keeper| Self::Restart { forager, with_keeper }));
            all.extend((0..ATTEMPTS).map(|attempt| Self::Finish { forager, attempt }));
        }
        for leader in 0..LEADERS {
            all.extend([Self::Commit { leader }, Self::Decide { leader }]);
            for forager in 0..FORAGERS {
                all.extend([Self::Hello { forager, leader }, Self::HearWelcome { leader, forager }]);
                all.extend((0..ATTEMPTS).map(|attempt| Self::Report { forager, leader, attempt }));
            }
            for attempt in 0..ATTEMPTS {
                all.extend([
                    Self::HearAssign { leader, attempt },
                    Self::HearCancel { leader, attempt },
                    Self::HearConfirmed { leader, attempt },
                ]);
            }
        }
        all
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tick => write!(f, "a tick passes"),
            Self::Elect { kept } => write!(f, "q1 is elected, and {kept} entries of q0 that were under way are kept"),
            Self::Commit { leader } => write!(f, "the next entry of q{leader} is committed and applied"),
            Self::Decide { leader } => write!(f, "q{leader} decides and proposes"),
            Self::CatchUp => write!(f, "q0, who leads no more and does not know, applies what was committed since"),
            Self::Resume => write!(f, "q0 is restarted and resumes her term"),
            Self::Hello { forager, leader } => write!(f, "q{leader} hears f{forager}"),
            Self::Report { forager, leader, attempt } => write!(f, "f{forager} reports a{attempt} to q{leader}"),
            Self::HearAssign { leader, attempt } => write!(f, "the assignment of a{attempt} by q{leader} arrives"),
            Self::HearCancel { leader, attempt } => write!(f, "the cancel of a{attempt} by q{leader} arrives"),
            Self::HearConfirmed { leader, attempt } => write!(f, "q{leader} has confirmed the end of a{attempt}"),
            Self::HearWelcome { leader, forager } => write!(f, "a welcome of q{leader} arrives at f{forager}"),
            Self::Finish { forager, attempt } => write!(f, "a{attempt} ends by itself at f{forager}"),
            Self::Restart { forager, with_keeper: true } => write!(f, "f{forager} is restarted; its keeper goes on"),
            Self::Restart { forager, with_keeper: false } => {
                write!(f, "f{forager} and its keeper are killed and restarted")
            }
            Self::Retry => write!(f, "somebody decides that the node is tried again"),
        }
    }
}
