//! The one queue between those who change the log and the thread that writes it.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::change::Change;
use crate::engine::OnDurable;
use crate::error::StorageError;
use crate::view::View;

/// Bytes that may wait to be written. Beyond them the callers wait: about a second of a slow disk, so that only a disk
/// that hardly works any more stops them, as it should, because consensus without a disk must not go on.
pub(crate) const QUEUE_BYTES: usize = 64 << 20;

/// What is visible, and what of it waits to be written.
pub(crate) struct Queue {
    state: Mutex<State>,
    /// Something waits to be written, or the end is near.
    filled: Condvar,
    /// Something was written.
    drained: Condvar,
}

pub(crate) struct State {
    pub(crate) view: View,
    pub(crate) failure: Option<StorageError>,
    waiting: Vec<Waiting>,
    /// Of what waits and of what is being written.
    bytes: usize,
    changes: u64,
    closing: bool,
}

struct Waiting {
    change: Change,
    on_durable: OnDurable,
}

/// Changes that are written together.
pub(crate) struct Group {
    pub(crate) changes: Vec<Change>,
    /// The number of the last change.
    pub(crate) last: u64,
    callbacks: VecDeque<OnDurable>,
    bytes: usize,
}

/// What the writer is to do next.
pub(crate) enum Work {
    Group(Group),
    Nothing,
    /// Everything is written, and nothing more will come.
    Closed,
}

impl Queue {
    pub(crate) fn new(view: View) -> Self {
        let state = State { view, failure: None, waiting: Vec::new(), bytes: 0, changes: 0, closing: false };
        Self { state: Mutex::new(state), filled: Condvar::new(), drained: Condvar::new() }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The view, unless the engine has failed.
    pub(crate) fn readable(&self) -> Result<MutexGuard<'_, State>, StorageError> {
        let state = self.state();
        match &state.failure {
            Some(failure) => Err(failure.clone()),
            None => Ok(state),
        }
    }

    /// Makes a change visible and queues it. `make` is given the view and the number of the change.
    pub(crate) fn push(
        &self,
        on_durable: OnDurable,
        make: impl FnOnce(&mut View, u64) -> Result<Change, StorageError>,
    ) {
        let full = |state: &mut State| state.bytes >= QUEUE_BYTES && state.failure.is_none();
        let mut state = self.drained.wait_while(self.state(), full).unwrap_or_else(PoisonError::into_inner);
        let number = state.changes + 1;
        let change = match &state.failure {
            Some(failure) => Err(failure.clone()),
            None => make(&mut state.view, number),
        };
        match change {
            Ok(change) => {
                state.changes = number;
                state.bytes += change.weight();
                state.waiting.push(Waiting { change, on_durable });
                drop(state);
                self.filled.notify_one();
            }
            Err(error) => {
                drop(state);
                on_durable(Err(error));
            }
        }
    }

    /// Takes all that is to be written. If that is nothing, it waits, unless there is something `else_to_do`.
    pub(crate) fn take(&self, else_to_do: bool) -> Work {
        let idle = |state: &mut State| state.waiting.is_empty() && !state.closing && !else_to_do;
        let mut state = self.filled.wait_while(self.state(), idle).unwrap_or_else(PoisonError::into_inner);
        let waiting = std::mem::take(&mut state.waiting);
        if waiting.is_empty() {
            return if state.closing { Work::Closed } else { Work::Nothing };
        }
        let bytes = waiting.iter().map(|waiting| waiting.change.weight()).sum();
        let last = state.changes;
        drop(state);
        let (changes, callbacks) = waiting.into_iter().map(|waiting| (waiting.change, waiting.on_durable)).unzip();
        Work::Group(Group { changes, last, callbacks, bytes })
    }

    /// Answers a group that was written, and lets go of payloads beyond `recent_bytes`.
    pub(crate) fn written(&self, group: Group, recent_bytes: usize) {
        let Group { changes, last, callbacks, bytes } = group;
        drop(changes);
        let mut state = self.state();
        state.bytes -= bytes;
        state.view.evict(recent_bytes, last);
        drop(state);
        self.drained.notify_all();
        for on_durable in callbacks {
            on_durable(Ok(()));
        }
    }

    /// Ends the queue: the group, if there is one, whatever waits behind it and whatever will come is answered with the error.
    pub(crate) fn fail(&self, group: Option<Group>, error: &StorageError) {
        let mut state = self.state();
        state.failure = Some(error.clone().ended());
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        self.drained.notify_all();
        let behind = waiting.into_iter().map(|waiting| waiting.on_durable);
        let written = group.into_iter().flat_map(|group| group.callbacks);
        for on_durable in written.chain(behind) {
            on_durable(Err(error.clone()));
        }
    }

    /// Lets the writer end when it has written what waits.
    pub(crate) fn close(&self) {
        self.state().closing = true;
        self.filled.notify_one();
    }
}
