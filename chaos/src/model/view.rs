//! What the model looks at in a state of the state machine, by its own names.

use antfarm_model::{Fence, Incarnation};
use antfarm_scheduler::{Ending, InstanceState, State};

use super::order::{INSTANCE, forager_no};
use super::world::{ATTEMPTS, FORAGERS};

/// An attempt, as the state knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attempt {
    Open { forager: usize, is_cancelled: bool },
    Closed(Ending),
}

/// A state, as the model looks at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct View {
    /// The incarnation of each forager that counts.
    pub(super) incarnations: [u8; FORAGERS],
    pub(super) lost: [bool; FORAGERS],
    pub(super) attempts: [Option<Attempt>; ATTEMPTS],
    pub(super) instance: InstanceState,
    /// The attempt whose result was taken.
    pub(super) accepted: Option<usize>,
    /// The attempt about which somebody has to decide.
    pub(super) undecided: Option<usize>,
    /// How often somebody decided.
    pub(super) decisions: usize,
}

impl View {
    pub(super) fn of(
        state: &State,
        fences: &[Option<Fence>; ATTEMPTS],
        incarnations: &[Vec<Incarnation>; FORAGERS],
    ) -> Self {
        let (_, instance) = state.instance(INSTANCE).expect("it is never removed here");
        let named = |fence| fences.iter().position(|known| *known == Some(fence));
        let mut attempts = [None; ATTEMPTS];
        for closed in &instance.closed {
            let attempt = named(closed.fence).expect("every fence has a name");
            attempts[attempt] = Some(Attempt::Closed(closed.ending));
        }
        let record = |forager| state.forager(forager_no(forager)).expect("no forager is ever forgotten here");
        for forager in 0..FORAGERS {
            for (id, open) in record(forager).attempts() {
                let attempt = named(id.fence).expect("every fence has a name");
                let is_cancelled = open.cancel.is_some();
                attempts[attempt] = Some(Attempt::Open { forager, is_cancelled });
            }
        }
        let incarnation = |forager: usize| {
            let counts = record(forager).incarnation;
            let number = incarnations[forager].iter().position(|known| *known == counts);
            number.and_then(|number| u8::try_from(number).ok()).expect("every incarnation has a name")
        };
        let needs_decision = instance.state == InstanceState::NeedsDecision;
        let last = instance.closed.last().filter(|_| needs_decision);
        Self {
            incarnations: std::array::from_fn(incarnation),
            lost: std::array::from_fn(|forager| record(forager).lost),
            attempts,
            instance: instance.state,
            accepted: instance.result().and_then(|result| result.parse().ok()),
            undecided: last.and_then(|last| named(last.fence)),
            decisions: instance.closed.iter().filter(|closed| closed.decided.is_some()).count(),
        }
    }

    /// Whether an attempt is open at a forager.
    pub(super) fn is_open_at(&self, attempt: usize, at: usize) -> bool {
        matches!(self.attempts[attempt], Some(Attempt::Open { forager, .. }) if forager == at)
    }

    /// How many attempts were ever opened.
    pub(super) fn opened(&self) -> usize {
        self.attempts.iter().flatten().count()
    }
}
