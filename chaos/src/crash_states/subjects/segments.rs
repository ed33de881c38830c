//! The log engine on segments, small enough that many are begun, left and removed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use antfarm_storage::{Disk, QueuedEngine, SegmentEngine, StorageError};

use crate::crash_states::contents::{self, Contents};
use crate::crash_states::damage::DamageClass;
use crate::crash_states::subject::{FOLDER, Notes, Refusal, Subject};
use crate::crash_states::subjects::log;

/// Everything that an engine can be asked, over several segments.
pub(crate) const SEGMENTS: Subject = Subject { name: "segments", work: work_varied, open, notices: &DamageClass::ALL };

/// Large records, purged again, in many segments.
pub(crate) const LONG_SEGMENTS: Subject = Subject { name: "segments, long", work: work_long, ..SEGMENTS };

/// A segment that has grown to this gets no further write.
const SEGMENT_BYTES: u64 = 12 << 10;

fn folder() -> PathBuf {
    Path::new(FOLDER).join("log")
}

fn engine(disk: &Arc<dyn Disk>) -> Result<QueuedEngine, StorageError> {
    SegmentEngine::open_by_hand(Arc::clone(disk), &folder(), SEGMENT_BYTES)
}

fn work_varied(notes: &Notes<'_>) -> Result<Vec<Contents>, StorageError> {
    log::work(notes.recorder, log::varied(), &|| engine(&notes.disk))
}

fn work_long(notes: &Notes<'_>) -> Result<Vec<Contents>, StorageError> {
    log::work(notes.recorder, log::long(), &|| engine(&notes.disk))
}

fn open(disk: &Arc<dyn Disk>) -> Result<Contents, Refusal> {
    Ok(contents::of_engine(&engine(disk)?)?)
}
