//! A store that is written through the `Disk` trait, with a workload, and a way to recover it from files.

use std::path::Path;
use std::sync::Arc;

use antfarm_storage::{Disk, StorageError};

use crate::crash_states::contents::Contents;
use crate::crash_states::damage::DamageClass;
use crate::crash_states::files::Files;
use crate::crash_states::operation::Operation;
use crate::crash_states::recorder::{Recorder, Recording};
use crate::crash_states::recording_disk::RecordingDisk;

/// Where stores are, on every recorded disk.
pub(crate) const FOLDER: &str = "/data";

/// A store that was used, and what it must hold after so many steps.
#[derive(Debug, Clone)]
pub(crate) struct Story {
    pub(crate) recording: Recording,
    /// What the store holds after so many steps; the first is what an empty one holds.
    pub(crate) history: Vec<Contents>,
}

/// Why a store does not open.
#[derive(Debug, Clone)]
pub(crate) struct Refusal {
    /// Its own words.
    pub(crate) text: String,
    /// Whether it says that what is stored is damaged, and where.
    pub(crate) damage: bool,
}

impl From<StorageError> for Refusal {
    fn from(error: StorageError) -> Self {
        Self { text: error.to_string(), damage: matches!(error, StorageError::Damaged { .. }) }
    }
}

/// A recovery, and what it did to the files.
#[derive(Debug)]
pub(crate) struct Recovered {
    pub(crate) contents: Result<Contents, Refusal>,
    pub(crate) recording: Recording,
}

/// What can be recovered, by one thread.
pub(crate) trait Store {
    /// Opens the store on such files.
    fn recover(&mut self, files: &Files) -> Result<Contents, Refusal>;

    /// The same, written down.
    fn recover_recorded(&mut self, files: &Files) -> Recovered;
}

/// A store that is written through the [`Disk`] trait.
#[derive(Clone, Copy)]
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    /// Uses the store, and says what it must hold after each step.
    pub(crate) work: fn(&Notes<'_>) -> Result<Vec<Contents>, StorageError>,
    /// Opens the store, and says what it holds.
    pub(crate) open: fn(&Arc<dyn Disk>) -> Result<Contents, Refusal>,
    /// The damage that it must notice by itself.
    pub(crate) notices: &'static [DamageClass],
}

/// What a workload has to work with.
pub(crate) struct Notes<'a> {
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) recorder: &'a Recorder,
}

impl Notes<'_> {
    /// The first so many steps may have an effect from now on.
    pub(crate) fn began(&self, steps: usize) {
        self.recorder.mark(Operation::Began(steps));
    }

    /// The first so many steps are promised from now on.
    pub(crate) fn acknowledged(&self, steps: usize) {
        self.recorder.mark(Operation::Acknowledged(steps));
    }
}

impl Subject {
    /// Uses the store from the beginning, and records it.
    pub(crate) fn story(&self) -> Result<Story, StorageError> {
        let recorder = Recorder::default();
        let disk = Arc::new(RecordingDisk::new(recorder.clone()));
        disk.create_folders(Path::new(FOLDER))?;
        let recorder = Recorder::on(recorder.recording().files());
        let disk = Arc::new(RecordingDisk::new(recorder.clone()));
        let history = (self.work)(&Notes { disk, recorder: &recorder })?;
        Ok(Story { recording: recorder.recording(), history })
    }
}

impl Store for Subject {
    fn recover(&mut self, files: &Files) -> Result<Contents, Refusal> {
        self.recover_recorded(files).contents
    }

    fn recover_recorded(&mut self, files: &Files) -> Recovered {
        let recorder = Recorder::on(files.clone());
        let disk: Arc<dyn Disk> = Arc::new(RecordingDisk::new(recorder.clone()));
        let contents = (self.open)(&disk);
        Recovered { contents, recording: recorder.recording() }
    }
}
