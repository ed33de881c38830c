//! Writing groups to the last segment, and removing segments that have become obsolete.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::StorageError;
use crate::change::Change;
use crate::disk::Disk;
use crate::queued_engine::GroupWriter;
use crate::segment_engine::content::Content;
use crate::segment_engine::format::{SEGMENT_HEAD, SegmentHead};
use crate::segment_engine::group::Group;
use crate::segment_engine::places::{self, Places, SegmentFile, Step};
use crate::segment_engine::tally::Tally;
use crate::sync_times::SyncTimer;

/// A segment that has grown to this gets no further write: what a purge frees comes in pieces of this size.
pub(super) const SEGMENT_BYTES: u64 = 32 << 20;

/// A group that has grown to this is closed, and the write goes on with another.
const GROUP_BYTES: usize = 8 << 20;

/// So many zeros are written ahead of the groups: where a file has its blocks and its length already, a sync has only
/// content to bring to the disk. No more than a segment is to hold.
const AHEAD_BYTES: u64 = 256 << 10;

pub(super) struct Writer {
    pub(super) disk: Arc<dyn Disk>,
    pub(super) folder: PathBuf,
    pub(super) segment_bytes: u64,
    pub(super) places: Arc<Mutex<Places>>,
    pub(super) syncs: Arc<SyncTimer>,
    pub(super) tally: Tally,
    /// Where the log ends.
    pub(super) end: u64,
    /// The checksum of the last record.
    pub(super) chain: u32,
    /// What is being written to. A process begins a segment of its own, and never writes to another's.
    pub(super) current: Option<Current>,
}

pub(super) struct Current {
    segment: Arc<SegmentFile>,
    /// How far the file has blocks.
    ahead: u64,
}

impl Writer {
    /// Begins a segment where the log ends. What may be there under its name was never acknowledged: it would have moved
    /// the end.
    fn begin_segment(&mut self) -> Result<Current, StorageError> {
        let path = places::path(&self.folder, self.end);
        drop(self.disk.create(&path)?);
        let segment = SegmentFile { file: self.disk.open_file(&path)?, path, position: self.end };
        segment.file.write_at(0, &SegmentHead { position: self.end, chain: self.chain }.encode())?;
        self.end += SEGMENT_HEAD as u64;
        Ok(Current { segment: Arc::new(segment), ahead: SEGMENT_HEAD as u64 })
    }

    /// Writes a group where the log ends.
    fn write_group(&mut self, current: &mut Current, group: Group, durable: u64) -> Result<(), StorageError> {
        let (mut bytes, chain) = group.close(durable);
        let offset = self.end - current.segment.position;
        self.end += bytes.len() as u64;
        self.chain = chain;
        if offset + bytes.len() as u64 > current.ahead {
            let ahead = usize::try_from(AHEAD_BYTES.min(self.segment_bytes)).expect("a small constant");
            bytes.resize(bytes.len() + ahead, 0);
            current.ahead = offset + bytes.len() as u64;
        }
        current.segment.file.write_at(offset, &bytes)
    }

    /// Writes steps of the log in as many groups as they need, and says where they are.
    fn write_steps(
        &mut self,
        current: &mut Current,
        changes: &[Change],
        durable: u64,
    ) -> Result<Vec<Step>, StorageError> {
        let mut steps = Vec::new();
        let mut group = Group::new(self.end, self.chain);
        if durable < self.end {
            // The segment has only its head yet.
            self.tally.contents().for_each(|content| {
                group.add(&content);
            });
        }
        for content in changes.iter().flat_map(Content::of) {
            if group.length() >= GROUP_BYTES {
                self.write_group(current, group, durable)?;
                group = Group::new(self.end, self.chain);
            }
            let place = group.add(&content);
            steps.extend(Step::of(&content, place));
            self.tally.apply(&content);
        }
        self.write_group(current, group, durable)?;
        Ok(steps)
    }
}

impl GroupWriter for Writer {
    fn write(&mut self, changes: &[Change]) -> Result<u64, StorageError> {
        let durable = self.end;
        let is_full = |current: &Current| self.end - current.segment.position >= self.segment_bytes;
        let (mut current, is_new) = match self.current.take().filter(|current| !is_full(current)) {
            Some(current) => (current, false),
            None => (self.begin_segment()?, true),
        };
        let steps = self.write_steps(&mut current, changes, durable)?;
        self.syncs.time(self.end - durable, || {
            current.segment.file.sync()?;
            if is_new { self.disk.sync_folder(&self.folder) } else { Ok(()) }
        })?;
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        if is_new {
            places.add_segment(Arc::clone(&current.segment));
        }
        for step in &steps {
            places.apply(step);
        }
        self.current = Some(current);
        Ok(self.end)
    }

    /// One segment after the other, each with a sync of the folder: a crash leaves no hole between segments.
    fn tidy(&mut self) -> Result<bool, StorageError> {
        let start = self.tally.start.unwrap_or(0);
        let obsolete = self.places.lock().unwrap_or_else(PoisonError::into_inner).take_obsolete(start);
        let Some(segment) = obsolete else { return Ok(false) };
        self.disk.remove(&segment.path)?;
        self.disk.sync_folder(&self.folder)?;
        Ok(true)
    }
}
