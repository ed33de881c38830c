//! The replicated state for its readers: a lock for short reads, and the outcomes in order.

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use antfarm_model::{LogIndex, MemberId};
use antfarm_scheduler::{Drafts, Entry, Event, GraphRecord, InstanceState, Outcome, Position, State};
use tokio::sync::{broadcast, watch};

/// The state, and everybody who is told when it changes. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Feed {
    state: Arc<RwLock<State>>,
    applied: watch::Sender<LogIndex>,
    /// Nothing when the replica has stopped.
    outcomes: Arc<Mutex<Option<broadcast::Sender<Item>>>>,
}

#[derive(Debug, Clone)]
enum Item {
    Applied(Arc<Outcome>),
    Installed(LogIndex),
}

/// Outcomes of applied entries, in order, from the moment of the subscription on.
#[derive(Debug)]
pub struct Outcomes(broadcast::Receiver<Item>);

/// Why the next outcome is not simply the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Gap {
    /// The reader was too slow: that many were dropped. The next call gives what comes after them.
    #[error("the reader was too slow, {0} outcomes are missing: read the state again")]
    Lagged(u64),
    /// A snapshot replaced the state: what led up to this index has no outcomes here.
    #[error("a snapshot up to index {0} replaced the state: read it again")]
    Installed(LogIndex),
    /// The replica has stopped.
    #[error("the replica has stopped")]
    Stopped,
}

impl Outcomes {
    /// Waits for the next outcome. After [`Gap::Lagged`] and [`Gap::Installed`] the stream goes on.
    ///
    /// Safe to drop half-way: nothing is lost.
    pub async fn next(&mut self) -> Result<Arc<Outcome>, Gap> {
        match self.0.recv().await {
            Ok(Item::Applied(outcome)) => Ok(outcome),
            Ok(Item::Installed(index)) => Err(Gap::Installed(index)),
            Err(broadcast::error::RecvError::Lagged(missed)) => Err(Gap::Lagged(missed)),
            Err(broadcast::error::RecvError::Closed) => Err(Gap::Stopped),
        }
    }
}

impl Feed {
    pub(crate) fn new(state: State, outcomes_kept: usize) -> Self {
        let applied = watch::Sender::new(state.applied().index);
        let (outcomes, _) = broadcast::channel(outcomes_kept);
        Self { state: Arc::new(RwLock::new(state)), applied, outcomes: Arc::new(Mutex::new(Some(outcomes))) }
    }

    pub(crate) fn read<T>(&self, f: impl FnOnce(&State) -> T) -> T {
        f(&self.state.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Applies an entry, with what was read for it, and tells everybody. The graphs that it removed are for the caller to free.
    pub(crate) fn apply(
        &self,
        position: Position,
        entry: &Entry,
        drafts: &mut Drafts,
    ) -> (Arc<Outcome>, Vec<Arc<GraphRecord>>) {
        let (outcome, removed) = self.write(|state| {
            let outcome = state.apply_drafted(position, entry, drafts);
            trace_ready(&outcome); // before anybody can see it and send what is assigned in the same entry
            (outcome, state.take_removed())
        });
        let outcome = Arc::new(outcome);
        self.tell(Item::Applied(outcome.clone()), position.index);
        (outcome, removed)
    }

    /// Steps over an entry that carries no commands.
    pub(crate) fn skip(&self, position: Position) {
        self.write(|state| state.skip(position));
        self.applied.send_replace(position.index);
    }

    /// Steps over a change of the membership by which these were removed.
    pub(crate) fn skip_membership(&self, position: Position, removed: impl IntoIterator<Item = MemberId>) {
        self.write(|state| state.skip_membership(position, removed));
        self.applied.send_replace(position.index);
    }

    /// Puts another state in place of this one, which is for the caller to free.
    pub(crate) fn install(&self, state: State) -> State {
        let index = state.applied().index;
        let former = self.write(|current| std::mem::replace(current, state));
        self.tell(Item::Installed(index), index);
        former
    }

    pub(crate) fn applied(&self) -> watch::Receiver<LogIndex> {
        self.applied.subscribe()
    }

    pub(crate) fn outcomes(&self) -> Outcomes {
        let outcomes = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        Outcomes(outcomes.as_ref().map_or_else(|| broadcast::channel(1).1, broadcast::Sender::subscribe))
    }

    /// Ends all streams of outcomes.
    pub(crate) fn close(&self) {
        *self.outcomes.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn write<T>(&self, f: impl FnOnce(&mut State) -> T) -> T {
        f(&mut self.state.write().unwrap_or_else(PoisonError::into_inner))
    }

    /// Nobody listening is not an error.
    fn tell(&self, item: Item, index: LogIndex) {
        if let Some(outcomes) = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            let _ = outcomes.send(item);
        }
        self.applied.send_replace(index);
    }
}

/// Tells which instances have become ready, for who measures how soon they are started.
fn trace_ready(outcome: &Outcome) {
    if !tracing::enabled!(target: "antfarm_timing", tracing::Level::TRACE) {
        return;
    }
    for event in &outcome.events {
        if let Event::Instances { instances, state: InstanceState::Ready, .. } = event {
            for id in instances.iter() {
                tracing::trace!(target: "antfarm_timing", "ready {} {} {}", id.graph, id.node, id.index);
            }
        }
    }
}
