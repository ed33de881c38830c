//! What was acknowledged and is not as it was written is refused.

use std::path::Path;

use super::{Contents, FOLDER, append, contents, copy, open, put, seasoned, segments, write};
use crate::disk::{Disk, MemoryDisk};
use crate::engine::LogEngine;
use crate::error::{Damage, Item, StorageError};
use crate::segment_engine::format::SegmentHead;

fn whole(disk: &MemoryDisk) -> Contents {
    contents(&open(&copy(disk)).unwrap())
}

fn damage(disk: &MemoryDisk) -> Damage {
    match open(disk) {
        Err(StorageError::Damaged { what, .. }) => what,
        other => panic!("expected damage, got {other:?}"),
    }
}

/// Changes bits all over every segment; says how many changes were refused, how many made no difference, and how many
/// lost something.
fn change_bits(disk: &MemoryDisk) -> (u32, u32, u32) {
    let whole = whole(disk);
    let (mut refused, mut harmless, mut lost) = (0, 0, 0);
    for path in segments(disk) {
        let bytes = disk.read(&path).unwrap();
        let used = bytes.iter().rposition(|byte| *byte != 0).unwrap() + 1;
        for place in (0..used).step_by(7).chain([used - 1]) {
            let damaged = copy(disk);
            let mut bytes = bytes.clone();
            bytes[place] ^= 1 << (place % 8);
            put(&damaged, &path, &bytes);
            match open(&damaged) {
                Ok(engine) if contents(&engine) == whole => harmless += 1,
                Ok(_) => lost += 1,
                Err(StorageError::Damaged { .. }) => refused += 1,
                Err(other) => panic!("byte {place} of {}: {other}", path.display()),
            }
        }
    }
    (refused, harmless, lost)
}

#[test]
fn a_changed_bit_anywhere_is_refused_or_makes_no_difference() {
    let (refused, harmless, lost) = change_bits(&seasoned());
    assert!(refused > 1000 && harmless > 100, "{refused} refused, {harmless} harmless");
    assert_eq!(lost, 0);
}

#[test]
fn without_the_newest_note_only_damage_to_the_last_group_is_taken_for_a_torn_write() {
    let disk = seasoned();
    let note = Path::new(FOLDER).join("acknowledged");
    let newest = disk.read(&note).unwrap();
    let engine = open(&disk).unwrap();
    let before = contents(&engine);
    append(&engine, before.bounds.next()..before.bounds.next() + 1).unwrap();
    drop(engine);
    put(&disk, &note, &newest);
    let last = segments(&disk).pop().unwrap();
    let bytes = disk.read(&last).unwrap();
    let whole = whole(&disk);
    for path in segments(&disk) {
        let original = disk.read(&path).unwrap();
        for place in (0..original.len().min(8 << 10)).step_by(61) {
            let damaged = copy(&disk);
            let mut changed = original.clone();
            changed[place] ^= 0x10;
            put(&damaged, &path, &changed);
            match open(&damaged) {
                Ok(engine) if contents(&engine) == whole => {}
                Ok(engine) => {
                    assert!(path == last && contents(&engine) == before, "byte {place} of {}", path.display());
                }
                Err(StorageError::Damaged { .. }) => assert!(path != last, "byte {place} of the last group"),
                Err(other) => panic!("{other}"),
            }
        }
    }
    assert_eq!(disk.read(&last).unwrap(), bytes);
}

#[test]
fn the_refusal_names_the_file_the_record_and_the_way_out() {
    let disk = seasoned();
    let path = segments(&disk).remove(0);
    let mut bytes = disk.read(&path).unwrap();
    bytes[560] ^= 1;
    put(&disk, &path, &bytes);
    let text = open(&disk).unwrap_err().to_string();
    assert!(text.contains(&path.display().to_string()), "{text}");
    assert!(text.contains("the group of records at position"), "{text}");
    assert!(text.contains("join again under a new member id"), "{text}");
}

#[test]
fn a_missing_segment_is_refused_wherever_it_was() {
    let whole = MemoryDisk::new();
    let engine = open(&whole).unwrap();
    (0..10).for_each(|step| append(&engine, step * 3..step * 3 + 3).unwrap());
    drop(engine);
    let all = segments(&whole);
    assert!(all.len() >= 3);
    for (number, path) in all.iter().enumerate() {
        let disk = copy(&whole);
        disk.remove(path).unwrap();
        let what = damage(&disk);
        let expected = match number {
            0 => matches!(what, Damage::Hole { expected: 0, .. }),
            last if last + 1 == all.len() => matches!(what, Damage::Lost { .. }),
            _ => matches!(what, Damage::Checksum { .. } | Damage::Malformed { .. }),
        };
        assert!(expected, "segment {number} of {}: {what}", all.len());
    }
    let disk = copy(&whole);
    for path in &all {
        disk.remove(path).unwrap();
    }
    assert!(matches!(damage(&disk), Damage::Lost { found: 0, .. }));
}

#[test]
fn a_segment_in_the_place_of_another_is_refused() {
    let all = segments(&seasoned());
    for (number, path) in all.iter().enumerate() {
        let disk = seasoned();
        let other = disk.read(&all[(number + 1) % all.len()]).unwrap();
        put(&disk, path, &other);
        assert_eq!(damage(&disk), Damage::Checksum { item: Item::SegmentHead });
    }
}

#[test]
fn a_stale_tail_is_refused() {
    // The same positions and the same indices, but another past.
    let log = |vote: &[u8]| {
        let disk = MemoryDisk::new();
        let engine = open(&disk).unwrap();
        write(&engine, |engine, done| engine.save_vote(vote.to_vec(), done)).unwrap();
        append(&engine, 0..4).unwrap();
        append(&engine, 4..5).unwrap();
        drop(engine);
        disk
    };
    let (one, other) = (log(b"one"), log(b"two"));
    let path = segments(&one).remove(0);
    let (mut bytes, stale) = (one.read(&path).unwrap(), other.read(&path).unwrap());
    assert_eq!(bytes[1024..1024 + 24], stale[1024..1024 + 24], "the second group begins here");
    bytes[1024..].copy_from_slice(&stale[1024..]);
    put(&one, &path, &bytes);
    put(&one, &Path::new(FOLDER).join("acknowledged"), &fresh_note());
    assert_eq!(damage(&one), Damage::Checksum { item: Item::Group(1024) });
}

/// A note that nothing was acknowledged.
fn fresh_note() -> Vec<u8> {
    let disk = MemoryDisk::new();
    drop(open(&disk).unwrap());
    disk.read(&Path::new(FOLDER).join("acknowledged")).unwrap()
}

#[test]
fn a_format_of_the_future_is_refused_and_not_taken_for_a_torn_write() {
    let disk = seasoned();
    let path = segments(&disk).pop().unwrap();
    let mut bytes = disk.read(&path).unwrap();
    let mut head = SegmentHead::decode(&bytes).unwrap().encode();
    head[8] = 9;
    let crc = crc32c::crc32c(&head[..24]);
    head[24..28].copy_from_slice(&crc.to_le_bytes());
    bytes[..head.len()].copy_from_slice(&head);
    put(&disk, &path, &bytes);
    put(&disk, &Path::new(FOLDER).join("acknowledged"), &fresh_note());
    assert_eq!(damage(&disk), Damage::Version { item: Item::SegmentHead, found: 9, known: 1 });
}

#[test]
fn a_missing_or_damaged_note_of_what_was_acknowledged_is_refused() {
    let disk = seasoned();
    let note = Path::new(FOLDER).join("acknowledged");
    put(&disk, &note, &[1; 16]);
    assert_eq!(damage(&disk), Damage::Checksum { item: Item::Bookkeeping });
    disk.remove(&note).unwrap();
    assert_eq!(damage(&disk), Damage::Malformed { item: Item::Bookkeeping });
}
