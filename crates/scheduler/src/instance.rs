//! What is known of one instance of a node.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use antfarm_model::{Elapsed, Epoch, Fence, ForagerNo, WallTime};
use serde::{Deserialize, Serialize};

use crate::command::{FailureKind, RejectReason, VerdictKind};
use crate::memory::{COUNTERS, allocated, of_text};

/// Where an instance is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InstanceState {
    /// For references, for `not_before`, or for a back-off.
    #[default]
    Waiting,
    /// It could run.
    Ready,
    /// A forager was told to run it.
    Assigned,
    /// A forager runs it.
    Running,
    /// It has a result.
    Succeeded,
    /// It will have none.
    Failed,
    /// Its deadline passed first.
    Expired,
    /// Its graph was cancelled or failed while it ran.
    Cancelled,
    /// A node that it needs has no result.
    Skipped,
    /// Nobody knows whether it took effect; somebody must decide.
    NeedsDecision,
}

impl InstanceState {
    /// All states, in the order of their numbers.
    pub const ALL: [Self; 10] = [
        Self::Waiting,
        Self::Ready,
        Self::Assigned,
        Self::Running,
        Self::Succeeded,
        Self::Failed,
        Self::Expired,
        Self::Cancelled,
        Self::Skipped,
        Self::NeedsDecision,
    ];

    /// Whether nothing more will happen to the instance.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Expired | Self::Cancelled | Self::Skipped)
    }

    /// The name in documents.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Ready => "ready",
            Self::Assigned => "assigned",
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
            Self::Skipped => "skipped",
            Self::NeedsDecision => "needs_decision",
        }
    }

    /// Whether an instance may go from here to `next` in one step.
    pub const fn may_become(self, next: Self) -> bool {
        match self {
            Self::Waiting => !matches!(next, Self::Assigned | Self::Running | Self::Succeeded | Self::NeedsDecision),
            Self::Ready => !matches!(next, Self::Running | Self::Skipped),
            Self::Assigned | Self::Running => !matches!(next, Self::Skipped),
            Self::NeedsDecision => {
                !matches!(next, Self::Assigned | Self::Running | Self::Skipped | Self::NeedsDecision)
            }
            Self::Succeeded | Self::Failed | Self::Expired | Self::Cancelled | Self::Skipped => false,
        }
    }
}

impl fmt::Display for InstanceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// An open attempt, as its instance knows it; the forager has the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenAttempt {
    /// The fence.
    pub fence: Fence,
    /// Who runs it.
    pub forager: ForagerNo,
}

/// How an attempt was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// With a result.
    Succeeded,
    /// By itself, without one.
    Failed(FailureKind),
    /// Cancelled: its graph was stopped, its deadline passed, or another attempt won.
    Cancelled,
    /// Cancelled: it ran too long.
    TimedOut,
    /// With its forager's process, lease or machine.
    Interrupted,
    /// Its forager was lost; nobody knows whether it still runs.
    Lost,
    /// The forager would not run it.
    Rejected(RejectReason),
    /// The forager handed it back.
    Returned,
}

impl Ending {
    /// Whether the attempt may have taken effect although nothing came back.
    pub const fn fate_unknown(self) -> bool {
        matches!(self, Self::Interrupted | Self::Lost | Self::TimedOut | Self::Cancelled)
    }

    /// Whether it is certain that the attempt runs no more.
    pub const fn is_proven(self) -> bool {
        !matches!(self, Self::Lost)
    }
}

/// When an attempt was assigned and started, by the cluster's wall clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptTimes {
    /// When it was assigned.
    pub assigned_at: WallTime,
    /// When its start was committed, if it was.
    pub started_at: Option<WallTime>,
}

/// An attempt that is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClosedAttempt {
    /// The fence.
    pub fence: Fence,
    /// Who was to run it.
    pub forager: ForagerNo,
    /// The leadership that assigned it.
    pub epoch: Epoch,
    /// When it was assigned and started.
    pub times: AttemptTimes,
    /// When it was closed, by the cluster's wall clock.
    pub closed_at: WallTime,
    /// How.
    pub ending: Ending,
    /// What there is to say of it, such as the end of its standard error.
    pub message: Option<Arc<str>>,
    /// What somebody decided about it, if its fate was unknown.
    pub decided: Option<Box<Decided>>,
}

/// What somebody decided about an attempt of unknown fate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decided {
    /// What.
    pub verdict: VerdictKind,
    /// Who.
    pub by: Arc<str>,
    /// Why.
    pub why: Arc<str>,
    /// When, by the cluster's wall clock.
    pub at: WallTime,
}

/// Attempts that are no longer kept one by one: how many ended in which way.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OlderAttempts(BTreeMap<Ending, u32>);

impl OlderAttempts {
    /// How many there are of each ending.
    pub fn endings(&self) -> impl Iterator<Item = (Ending, u32)> {
        self.0.iter().map(|(ending, number)| (*ending, *number))
    }
}

/// One instance: its state, and its [`Story`] as soon as it has one. Reads as its story.
///
/// Most instances of a large graph wait, so that nothing is to be told of them yet; then it takes 16 bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Instance {
    /// Where it is. A stopped or paused graph shows some states as others: see [`GraphRecord::state_of`](crate::GraphRecord::state_of).
    pub state: InstanceState,
    story: Option<Arc<Story>>,
}

/// What has happened to an instance.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Story {
    /// How many attempts were opened.
    pub attempts: u32,
    /// How often it failed by itself.
    pub failures: u32,
    /// How many foragers in a row were lost or died while it ran.
    pub losses: u32,
    /// Until when it is held back, if it is.
    pub held_until: Option<Elapsed>,
    /// Its open attempts: at most one, or two if its tool allows it.
    pub open: Vec<OpenAttempt>,
    /// Its closed attempts, the newest last; of many, the first ones are only counted, in `older`.
    pub closed: Vec<ClosedAttempt>,
    /// The closed attempts before those, if there are any.
    pub older: Option<Box<OlderAttempts>>,
    /// The result as JSON if it succeeded, else why it did not.
    pub text: Option<Arc<str>>,
}

/// The story of those that have none.
static NO_STORY: Story = Story {
    attempts: 0,
    failures: 0,
    losses: 0,
    held_until: None,
    open: Vec::new(),
    closed: Vec::new(),
    older: None,
    text: None,
};

impl Deref for Instance {
    type Target = Story;

    fn deref(&self) -> &Story {
        self.story.as_deref().unwrap_or(&NO_STORY)
    }
}

impl Instance {
    /// One in this state, of which nothing is to be told.
    pub(crate) const fn new(state: InstanceState) -> Self {
        Self { state, story: None }
    }

    /// Closed attempts that are kept.
    pub const MAX_CLOSED: usize = 16;

    /// The result as JSON, if it succeeded.
    pub fn result(&self) -> Option<&Arc<str>> {
        if self.state == InstanceState::Succeeded { self.text.as_ref() } else { None }
    }

    /// Its story, to be continued. From then on it has one: a change to nothing is better not made.
    pub fn story_mut(&mut self) -> &mut Story {
        Arc::make_mut(self.story.get_or_insert_default())
    }

    /// The bytes of its story.
    pub(crate) fn story_bytes(&self) -> usize {
        self.story.as_deref().map_or(0, Story::bytes)
    }
}

impl Story {
    pub(crate) fn remember(&mut self, attempt: ClosedAttempt) {
        if self.closed.len() >= Instance::MAX_CLOSED {
            let oldest = self.closed.remove(0);
            let older = self.older.get_or_insert_default();
            let number = older.0.entry(oldest.ending).or_default();
            *number = number.saturating_add(1);
        } else {
            self.closed.reserve_exact(1); // most instances have one attempt, and there are many instances
        }
        self.closed.push(attempt);
    }

    /// The bytes that it takes.
    fn bytes(&self) -> usize {
        let texts = self.closed.iter().filter_map(|closed| closed.message.as_ref()).chain(&self.text);
        allocated(COUNTERS + size_of::<Self>())
            + allocated(self.open.capacity() * size_of::<OpenAttempt>())
            + allocated(self.closed.capacity() * size_of::<ClosedAttempt>())
            + texts.map(of_text).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instance_has_a_story_from_the_first_change_on() {
        let mut instance = Instance::default();
        assert_eq!((instance.story_bytes(), instance.attempts, &instance.text), (0, 0, &None));
        instance.story_mut().attempts = 1;
        assert!(instance.story_bytes() > 0 && instance.attempts == 1);
        assert_eq!(size_of::<Instance>(), 16);
    }
}
