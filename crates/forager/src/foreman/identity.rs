//! Who this process is to the cluster.

use std::sync::Arc;

use antfarm_model::Incarnation;
use antfarm_storage::StorageError;

use crate::foreman::Foreman;
use crate::journal::{Record, Registered};

/// Who this process is, and whose journal it holds.
pub(crate) struct Identity {
    former: Option<Registered>,
    incarnation: Option<Incarnation>,
    process: u64,
    boot_id: Arc<str>,
}

impl Identity {
    /// A process on this boot of the machine that has not been registered, and drew this number.
    pub(crate) fn new(former: Option<Registered>, process: u64, boot_id: Arc<str>) -> Self {
        Self { former, incarnation: None, process, boot_id }
    }

    /// The number that only this process has.
    pub(super) fn process(&self) -> u64 {
        self.process
    }

    /// The incarnation of the process that wrote the journal before this one.
    pub(super) fn former(&self) -> Option<Incarnation> {
        self.former.as_ref().map(|former| former.incarnation)
    }

    /// The incarnation of this process.
    pub(super) fn incarnation(&self) -> Option<Incarnation> {
        self.incarnation
    }

    /// The machine booted since the former process was registered.
    pub(crate) fn rebooted(&self) -> bool {
        self.former.as_ref().is_some_and(|former| former.boot_id != self.boot_id)
    }

    /// What the journal must know: the last registration.
    pub(super) fn record(&self) -> Option<Record> {
        let former = || {
            self.former.clone().map(|Registered { incarnation, boot_id }| Record::Registered { incarnation, boot_id })
        };
        let own = |incarnation| Record::Registered { incarnation, boot_id: Arc::clone(&self.boot_id) };
        self.incarnation.map(own).or_else(former)
    }
}

impl Foreman {
    /// A leader gave this process an incarnation. The journal knows it before any work comes.
    pub(super) fn register(&mut self, incarnation: Incarnation) -> Result<(), StorageError> {
        let identity = &mut self.parts.identity;
        if identity.incarnation == Some(incarnation) {
            return Ok(());
        }
        identity.incarnation = Some(incarnation);
        tracing::info!(forager = %self.parts.config.name, %incarnation, "registered");
        let boot_id = Arc::clone(&identity.boot_id);
        self.parts.journal.note_durably(&Record::Registered { incarnation, boot_id })
    }
}
