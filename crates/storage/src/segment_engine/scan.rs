//! Reading the groups of one segment, and telling a torn end from damage.

use std::path::Path;

use crate::error::{Damage, Item, StorageError};
use crate::segment_engine::content::Content;
use crate::segment_engine::format::{self, GROUP_HEAD, GroupHead, SECTOR, SEGMENT_HEAD, SegmentHead};
use crate::segment_engine::places::Place;

/// The bytes of a segment, and how far they are read.
pub(super) struct Scan<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    /// Where in the log the segment begins.
    begin: u64,
    /// Where in the log the next segment begins, if there is one.
    limit: Option<u64>,
    /// How far it is read.
    pub(super) position: u64,
    /// The checksum of the last record that was read.
    pub(super) chain: u32,
}

/// A whole group: its steps, and where they are.
pub(super) type Steps<'a> = Vec<(Content<'a>, Place)>;

impl<'a> Scan<'a> {
    /// Begins to read the segment at `begin`, which should follow a record with the checksum `chain`, if that is known.
    ///
    /// Nothing, if this is the last segment and was never whole: then no group in it was ever acknowledged.
    pub(super) fn begin(
        path: &'a Path,
        bytes: &'a [u8],
        begin: u64,
        limit: Option<u64>,
        chain: Option<u32>,
    ) -> Result<Option<Self>, StorageError> {
        let head = SegmentHead::decode(bytes);
        let mut scan = Self { path, bytes, begin, limit, position: begin, chain: 0 };
        match head {
            Ok(head) if head.position == begin && chain.is_none_or(|chain| chain == head.chain) => {
                scan.chain = head.chain;
                scan.position += SEGMENT_HEAD as u64;
                Ok(Some(scan))
            }
            Ok(_) => Err(scan.damaged(Damage::Checksum { item: Item::SegmentHead })),
            Err(Damage::Malformed { .. } | Damage::Checksum { .. }) if scan.is_torn() => Ok(None),
            Err(damage) => Err(scan.damaged(damage)),
        }
    }

    /// The next group; none at the end of the segment, and where the log ends in a group that was never whole.
    pub(super) fn next_group(&mut self) -> Result<Option<Steps<'a>>, StorageError> {
        if self.limit == Some(self.position) {
            return Ok(None);
        }
        let rest = self.rest();
        let head = GroupHead::decode(rest, self.position);
        if head.is_some_and(|head| head.chain != self.chain) {
            // A whole head in its place, but of another past.
            return Err(self.damaged(Damage::Checksum { item: Item::Group(self.position) }));
        }
        match head.and_then(|head| self.steps(head)) {
            Some((steps, length, chain)) => {
                self.position += format::whole_sectors(length) as u64;
                self.chain = chain;
                Ok(Some(steps))
            }
            None if self.is_torn() => Ok(None),
            None => Err(self.damaged(Damage::Checksum { item: Item::Group(self.position) })),
        }
    }

    /// The steps of a group, its length and the checksum of its last record; if all of it is there.
    fn steps(&self, head: GroupHead) -> Option<(Steps<'a>, usize, u32)> {
        let length = GROUP_HEAD + head.length as usize;
        let group = self.rest().get(..length)?;
        let (mut steps, mut offset, mut chain) = (Vec::new(), GROUP_HEAD, head.chain);
        while offset < length {
            let place = Place { position: self.position + offset as u64, former: chain };
            let record = format::decode_record(&group[offset..], chain)?;
            steps.push((Content::decode(record.kind, record.content)?, place));
            offset += record.length;
            chain = record.crc;
        }
        Some((steps, length, chain))
    }

    /// Whether what cannot be read from here on was never acknowledged, as far as this segment shows: no other segment
    /// follows, and no group that was written when what is here was durable.
    ///
    /// That it was the last thing to be acknowledged only the file beside the log can say.
    fn is_torn(&self) -> bool {
        let is_later = |(number, sector)| {
            let position = self.position + (number * SECTOR) as u64;
            GroupHead::decode(sector, position).is_some_and(|head| head.durable > self.position)
        };
        self.limit.is_none() && !self.rest().chunks(SECTOR).enumerate().any(is_later)
    }

    fn rest(&self) -> &'a [u8] {
        let offset = usize::try_from(self.position - self.begin).unwrap_or(usize::MAX);
        self.bytes.get(offset..).unwrap_or(&[])
    }

    pub(super) fn damaged(&self, what: Damage) -> StorageError {
        StorageError::damaged(self.path, what)
    }
}
