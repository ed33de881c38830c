//! Where in the segments the records are.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;

use crate::disk::DiskFile;
use crate::engine::Record;
use crate::engine_name::SEGMENT_ENDING;
use crate::error::{Damage, Item, StorageError};
use crate::segment_engine::content::Content;
use crate::segment_engine::format::{self, RECORD_HEAD};

/// Where a record is, and what must be known to check it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// Its position in the log.
    pub(super) position: u64,
    /// The checksum before it.
    pub(super) former: u32,
}

/// The file of a segment.
pub(super) struct SegmentFile {
    pub(super) path: PathBuf,
    /// Where in the log it begins.
    pub(super) position: u64,
    pub(super) file: Box<dyn DiskFile>,
}

struct Segment {
    file: Arc<SegmentFile>,
    /// The highest index of a record that was ever put into it.
    last: Option<u64>,
}

/// The segments, and the places of the readable records in them.
#[derive(Default)]
pub(super) struct Places {
    segments: BTreeMap<u64, Segment>,
    /// The index that the first place belongs to.
    first: u64,
    records: VecDeque<Place>,
}

/// Steps that change where records are.
pub(super) enum Step {
    Add(u64, Place),
    Truncate { next: u64 },
    Purge { start: u64 },
}

impl Step {
    /// What a step of the log, written at `place`, means for the places.
    pub(super) fn of(content: &Content<'_>, place: Place) -> Option<Self> {
        match content {
            Content::Append { index, .. } => Some(Self::Add(*index, place)),
            Content::Truncate { next } => Some(Self::Truncate { next: *next }),
            Content::Purge { start } => Some(Self::Purge { start: *start }),
            Content::Resume { .. } | Content::Vote(_) | Content::Fact(..) => None,
        }
    }
}

impl Places {
    /// Begins another segment, behind all others.
    pub(super) fn add_segment(&mut self, file: Arc<SegmentFile>) {
        self.segments.insert(file.position, Segment { file, last: None });
    }

    pub(super) fn apply(&mut self, step: &Step) {
        match step {
            Step::Add(index, place) => {
                if self.records.is_empty() {
                    self.first = *index;
                }
                self.records.push_back(*place);
                if let Some(segment) = self.segments.range_mut(..=place.position).next_back() {
                    segment.1.last = segment.1.last.max(Some(*index));
                }
            }
            Step::Truncate { next } => self.records.truncate(count(self.first, *next)),
            Step::Purge { start } => {
                let gone = count(self.first, *start).min(self.records.len());
                self.records.drain(..gone);
                self.first += gone as u64;
            }
        }
    }

    /// Where the records of `from..to` are, which must be readable and written.
    pub(super) fn located(&self, from: u64, to: u64) -> Vec<Located> {
        let located = |index| {
            let place = self.records[count(self.first, index)];
            let (_, segment) = self.segments.range(..=place.position).next_back().expect("a place is in a segment");
            Located { index, place, file: Arc::clone(&segment.file) }
        };
        (from..to).map(located).collect()
    }

    /// Takes away the oldest segment, if it has no record from `start` on and is not the last.
    pub(super) fn take_obsolete(&mut self, start: u64) -> Option<Arc<SegmentFile>> {
        let oldest = self.segments.first_entry()?;
        let is_obsolete = oldest.get().last.is_none_or(|last| last < start);
        if !is_obsolete || self.segments.len() == 1 {
            return None;
        }
        self.segments.pop_first().map(|(_, segment)| segment.file)
    }
}

/// A record on the disk. What has it open can read it, even if its segment was removed in the meantime.
pub(super) struct Located {
    pub(super) index: u64,
    place: Place,
    file: Arc<SegmentFile>,
}

impl Located {
    /// Reads a record with a payload of `length` bytes.
    pub(super) fn read(&self, length: u32) -> Result<Record, StorageError> {
        let damaged = |what| StorageError::damaged(&self.file.path, what);
        let mut bytes = vec![0; RECORD_HEAD + size_of::<u64>() + length as usize];
        let mut offset = self.place.position - self.file.position;
        let mut rest = bytes.as_mut_slice();
        while !rest.is_empty() {
            let count = self.file.file.read_at(offset, rest)?;
            if count == 0 {
                return Err(damaged(Damage::Malformed { item: Item::Record(self.index) }));
            }
            offset += count as u64;
            rest = &mut rest[count..];
        }
        let stored = format::decode_record(&bytes, self.place.former);
        let content = stored.and_then(|stored| Content::decode(stored.kind, stored.content));
        match content {
            Some(Content::Append { index, payload }) if index == self.index && payload.len() == length as usize => {
                let head = bytes.len() - length as usize;
                Ok(Record { index, payload: Bytes::from(bytes).slice(head..) })
            }
            _ => Err(damaged(Damage::Checksum { item: Item::Record(self.index) })),
        }
    }
}

/// The file name of the segment that begins at `position`.
pub(super) fn name(position: u64) -> String {
    format!("{position:020}{SEGMENT_ENDING}")
}

/// The position of the segment with this file name.
pub(super) fn position_of(file_name: &str) -> Option<u64> {
    let position = file_name.strip_suffix(SEGMENT_ENDING)?.parse().ok()?;
    (name(position) == file_name).then_some(position)
}

/// The path of the segment that begins at `position`.
pub(super) fn path(folder: &Path, position: u64) -> PathBuf {
    folder.join(name(position))
}

fn count(from: u64, to: u64) -> usize {
    usize::try_from(to.saturating_sub(from)).unwrap_or(usize::MAX)
}
