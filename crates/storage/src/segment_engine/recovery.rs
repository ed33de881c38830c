//! Reading all segments back when an engine is opened, and refusing what is not as it was written.
//!
//! Recovery writes nothing. What it leaves unread at the end of a segment was never acknowledged, and stays where it is: a
//! segment ends where the next one begins, which says so in its head.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;

use crate::disk::Disk;
use crate::engine::Record;
use crate::error::{Damage, Item, StorageError};
use crate::queued_engine::RECENT_BYTES;
use crate::segment_engine::content::Content;
use crate::segment_engine::places::{self, Places, SegmentFile, Step};
use crate::segment_engine::scan::Scan;
use crate::segment_engine::tally::Tally;
use crate::view::View;

/// The log as it was found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) view: View,
    pub(super) tally: Tally,
    pub(super) places: Places,
    /// Where it ends.
    pub(super) end: u64,
    /// The checksum of its last record.
    pub(super) chain: u32,
    /// Whether a segment has said what the ones before it said.
    resumed: bool,
}

/// Reads the log in `folder`, and makes durable whatever of it is there.
///
/// What an earlier process wrote without a sync, before it was killed, reads like everything else: it must not be relied
/// on before it is durable.
pub(super) fn recover(disk: &dyn Disk, folder: &Path) -> Result<Found, StorageError> {
    let mut positions: Vec<_> = disk.list(folder)?.iter().filter_map(|name| places::position_of(name)).collect();
    positions.sort_unstable();
    let mut found = Found::default();
    for (number, position) in positions.iter().enumerate() {
        let path = places::path(folder, *position);
        let bytes = disk.read(&path)?;
        let (chain, limit) = ((number > 0).then_some(found.chain), positions.get(number + 1).copied());
        let Some(mut scan) = Scan::begin(&path, &bytes, *position, limit, chain)? else { continue };
        if number > 0 && *position != found.end {
            return Err(scan.damaged(Damage::Malformed { item: Item::SegmentHead }));
        }
        let file = SegmentFile { file: disk.open_file(&path)?, path: path.clone(), position: *position };
        file.file.sync()?;
        found.places.add_segment(Arc::new(file));
        while let Some(steps) = scan.next_group()? {
            for (content, place) in steps {
                found.check(&content).map_err(|what| scan.damaged(what))?;
                found.apply(&content);
                if let Some(step) = Step::of(&content, place) {
                    found.places.apply(&step);
                }
            }
        }
        (found.end, found.chain) = (scan.position, scan.chain);
    }
    disk.sync_folder(folder)?;
    found.is_whole().map_err(|what| StorageError::damaged(folder, what))?;
    found.view.remember(found.tally.vote.clone(), found.tally.facts.clone());
    Ok(found)
}

impl Found {
    /// Whether this can be the next step.
    fn check(&self, content: &Content<'_>) -> Result<(), Damage> {
        let tally = &self.tally;
        let begun = tally.start.unwrap_or(0);
        let is_next = match content {
            Content::Resume { start, next } if self.resumed => (*start, *next) == (tally.start, tally.next),
            Content::Resume { start, next } => start.map_or(*next == 0, |start| start <= *next),
            _ if !self.resumed => false,
            Content::Append { index, .. } if tally.start.is_some() && *index != tally.next => {
                return Err(Damage::Hole { expected: tally.next, found: *index });
            }
            Content::Append { .. } | Content::Vote(_) | Content::Fact(..) => true,
            Content::Truncate { next } => (begun..=tally.next).contains(next),
            Content::Purge { start } => *start > 0 && *start >= begun,
        };
        if is_next { Ok(()) } else { Err(Damage::Malformed { item: Item::Bookkeeping }) }
    }

    fn apply(&mut self, content: &Content<'_>) {
        self.tally.apply(content);
        let first = self.view.bounds().first;
        match content {
            // What comes before the oldest segment is not there to be read, and must have been purged when all is read.
            Content::Resume { start, next } if !self.resumed => self.view = beginning(start.map(|_| *next)),
            Content::Append { index, payload } => {
                let record = Record { index: *index, payload: Bytes::copy_from_slice(payload) };
                self.view.append(vec![record], 0);
                self.view.evict(RECENT_BYTES, 0);
            }
            Content::Truncate { next } if *next < first => self.view = beginning(Some(*next)),
            Content::Truncate { next } => drop(self.view.truncate_after(next.checked_sub(1))),
            Content::Purge { start } => drop(self.view.purge_to(start - 1)),
            Content::Resume { .. } | Content::Vote(_) | Content::Fact(..) => {}
        }
        self.resumed = true;
    }

    /// Whether the oldest segment begins early enough.
    fn is_whole(&self) -> Result<(), Damage> {
        let (expected, found) = (self.tally.start.unwrap_or(0), self.view.bounds().first);
        if expected == found { Ok(()) } else { Err(Damage::Hole { expected, found }) }
    }
}

fn beginning(start: Option<u64>) -> View {
    View::restored(start, None, BTreeMap::new())
}
