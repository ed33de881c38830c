//! What happened to some files, in order.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::crash_states::files::Files;
use crate::crash_states::operation::Operation;

/// Files that write down what happens to them. Clones are the same files.
#[derive(Debug, Clone, Default)]
pub(crate) struct Recorder(Arc<Mutex<Recorded>>);

/// The files as they are now, and how they became so.
#[derive(Debug, Default)]
pub(crate) struct Recorded {
    pub(crate) files: Files,
    pub(crate) recording: Recording,
}

/// Files on a disk, and what happened to them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Recording {
    /// What was durable before.
    pub(crate) base: Files,
    pub(crate) operations: Vec<Operation>,
}

impl Recorder {
    /// Begins with these files, all of them durable.
    pub(crate) fn on(base: Files) -> Self {
        let recorded = Recorded { files: base.clone(), recording: Recording { base, operations: Vec::new() } };
        Self(Arc::new(Mutex::new(recorded)))
    }

    /// The files and the record, to look at and to change by [`Recorded::act`].
    pub(crate) fn recorded(&self) -> MutexGuard<'_, Recorded> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes down what the workload says of itself.
    pub(crate) fn mark(&self, mark: Operation) {
        self.recorded().act(mark);
    }

    /// What has happened so far.
    pub(crate) fn recording(&self) -> Recording {
        self.recorded().recording.clone()
    }
}

impl Recorded {
    /// Does something to the files, and writes it down.
    pub(crate) fn act(&mut self, operation: Operation) {
        self.files.apply(&operation);
        self.recording.operations.push(operation);
    }
}

impl Recording {
    /// How many operations there are of each kind.
    pub(crate) fn kinds(&self) -> BTreeMap<&'static str, usize> {
        let mut kinds = BTreeMap::new();
        for operation in &self.operations {
            *kinds.entry(operation.kind()).or_default() += 1;
        }
        kinds
    }

    /// The files when everything has happened and nothing was lost.
    pub(crate) fn files(&self) -> Files {
        let mut files = self.base.clone();
        self.operations.iter().for_each(|operation| files.apply(operation));
        files
    }
}
