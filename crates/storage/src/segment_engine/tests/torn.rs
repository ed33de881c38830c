//! Whatever a power cut leaves of the last write, the log is as before it or as after it, and goes on.

use std::path::PathBuf;

use super::{Contents, append, contents, copy, open, put, seasoned, segments, write};
use crate::disk::{Disk, MemoryDisk};
use crate::engine::LogEngine;
use crate::segment_engine::format::SECTOR;

/// A write of which a power cut may leave some sectors.
struct Torn {
    before: MemoryDisk,
    path: PathBuf,
    /// The segment without the write; empty, if the write begins a segment.
    old: Vec<u8>,
    /// The segment with it.
    new: Vec<u8>,
    contents_before: Contents,
    contents_after: Contents,
}

/// The last write of a log, either into a segment that is there or into a new one.
fn torn(new_segment: bool) -> Torn {
    let disk = seasoned();
    let mut engine = open(&disk).unwrap();
    if !new_segment {
        let next = engine.bounds().next();
        append(&engine, next..next + 1).unwrap();
    }
    let (before, contents_before) = (copy(&disk), contents(&engine));
    let first = engine.bounds().next();
    if new_segment {
        drop(engine);
        engine = open(&disk).unwrap();
    }
    append(&engine, first..first + 4).unwrap();
    let path = segments(&disk).pop().unwrap();
    let old = before.read(&path).unwrap_or_default();
    assert_eq!(old.is_empty(), new_segment);
    Torn { before, new: disk.read(&path).unwrap(), old, path, contents_before, contents_after: contents(&engine) }
}

impl Torn {
    /// The log goes on after a power cut that left this of the segment, and has what it had before the write or after it.
    fn check(&self, left: &[u8], what: &str) {
        let disk = copy(&self.before);
        put(&disk, &self.path, left);
        let engine = open(&disk).unwrap_or_else(|error| panic!("{what}: {error}"));
        let found = contents(&engine);
        assert!(found == self.contents_before || found == self.contents_after, "{what}: {found:?}");
        append(&engine, found.bounds.next()..found.bounds.next() + 2).unwrap();
        write(&engine, |engine, done| engine.save_vote(b"later".to_vec(), done)).unwrap();
        let found = contents(&engine);
        drop(engine);
        disk.crash();
        assert_eq!(contents(&open(&disk).unwrap()), found, "{what}");
    }

    /// The sectors in which the write differs from what was there.
    fn sectors(&self) -> Vec<usize> {
        let sector = |bytes: &[u8], number: usize| bytes.chunks(SECTOR).nth(number).map(<[u8]>::to_vec);
        let count = self.new.len() / SECTOR;
        (0..count).filter(|number| sector(&self.old, *number) != sector(&self.new, *number)).collect()
    }
}

#[test]
fn any_sectors_of_the_last_write_may_be_missing() {
    for new_segment in [false, true] {
        let torn = torn(new_segment);
        // All zeros that were written ahead count as one.
        let mut sectors = torn.sectors();
        let used = torn.new.iter().rposition(|byte| *byte != 0).unwrap() / SECTOR + 1;
        sectors.retain(|sector| *sector < used);
        assert!((4..10).contains(&sectors.len()), "{}", sectors.len());
        for chosen in 0_u32..1 << sectors.len() {
            for grown in [false, true] {
                let mut left = torn.old.clone();
                if grown {
                    left.resize(torn.new.len(), 0);
                }
                for (_, sector) in sectors.iter().enumerate().filter(|(bit, _)| chosen & 1 << bit != 0) {
                    let place = sector * SECTOR..(sector + 1) * SECTOR;
                    left.resize(left.len().max(place.end), 0);
                    left[place.clone()].copy_from_slice(&torn.new[place]);
                }
                torn.check(&left, &format!("new segment {new_segment}, grown {grown}, sectors {chosen:b}"));
            }
        }
    }
}

#[test]
fn a_segment_may_end_at_any_byte_of_the_last_write() {
    for new_segment in [false, true] {
        let torn = torn(new_segment);
        let used = torn.new.iter().rposition(|byte| *byte != 0).unwrap() + 1;
        let begin = torn.old.iter().rposition(|byte| *byte != 0).map_or(0, |last| (last + 1).next_multiple_of(SECTOR));
        for length in begin..used + 20 {
            let mut left = torn.new[..length].to_vec();
            torn.check(&left, &format!("new segment {new_segment}, {length} bytes"));
            left.resize(torn.new.len(), 0);
            torn.check(&left, &format!("new segment {new_segment}, {length} bytes and zeros"));
        }
    }
}

#[test]
fn what_was_cut_is_passed_over_ever_after() {
    let torn = torn(false);
    let disk = copy(&torn.before);
    let mut left = torn.new.clone();
    let last = left.iter().rposition(|byte| *byte != 0).unwrap();
    left[last] ^= 1;
    put(&disk, &torn.path, &left);
    for round in 0..4 {
        let engine = open(&disk).unwrap();
        let next = engine.bounds().next();
        assert_eq!(next, torn.contents_before.bounds.next() + round);
        append(&engine, next..next + 1).unwrap();
    }
    assert_eq!(disk.read(&torn.path).unwrap(), left, "nothing that was written is changed");
}

#[test]
fn a_write_of_several_groups_may_be_torn_anywhere() {
    let disk = MemoryDisk::new();
    let engine = open(&disk).unwrap();
    append(&engine, 0..3).unwrap();
    let (before, contents_before) = (copy(&disk), contents(&engine));
    let large: Vec<_> = (3..6).map(|index| super::record(index, &vec![7; 5 << 20])).collect();
    write(&engine, |engine, done| engine.append(large, done)).unwrap();
    let path = segments(&disk).pop().unwrap();
    let new = disk.read(&path).unwrap();
    for (from, to) in [(0, 1), (4, 5), (4, 11), (9, 11), (12, 13)] {
        let left = copy(&before);
        let mut bytes = new.clone();
        bytes[(from << 20) + 4096..to << 20].fill(0);
        put(&left, &path, &bytes);
        let engine = open(&left).unwrap();
        assert_eq!(engine.read(0, 3, usize::MAX).unwrap(), contents_before.records);
        assert!(engine.bounds().last < Some(5));
    }
}
