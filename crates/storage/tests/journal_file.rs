//! A journal gives back what was synced, cuts what was never synced, and refuses everything else.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use antfarm_storage::{Disk, JournalFile, MemoryDisk, StorageError, SystemDisk};
use expect_test::expect;

const PATH: &str = "/data/journal";

#[test]
fn records_come_back_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let (mut journal, records) = JournalFile::open(Arc::new(SystemDisk), &path).unwrap();
    assert_eq!(records, Vec::<Vec<u8>>::new());
    for record in SMALL {
        journal.append(record).unwrap();
    }
    journal.sync().unwrap();
    drop(journal);
    let (mut journal, records) = JournalFile::open(Arc::new(SystemDisk), &path).unwrap();
    assert_eq!(records, SMALL);
    journal.append(b"more").unwrap();
    drop(journal);
    let (_, records) = JournalFile::open(Arc::new(SystemDisk), &path).unwrap();
    assert_eq!(records.last().unwrap(), b"more");
}

#[test]
fn what_was_synced_survives_a_power_cut_and_the_rest_does_not() {
    let disk = disk();
    let (mut journal, _) = open(&disk);
    journal.append(b"synced").unwrap();
    journal.sync().unwrap();
    journal.append(b"not synced").unwrap();
    disk.crash();
    assert!(journal.append(b"later").is_err());
    assert!(matches!(journal.sync(), Err(StorageError::Failed { .. })), "nothing is retried");
    assert_eq!(open(&disk).1, [b"synced"]);
}

#[test]
fn what_was_read_once_is_durable() {
    let disk = disk();
    let (mut journal, _) = open(&disk);
    journal.append(b"written by a process that was killed").unwrap();
    drop(journal);
    let (_, records) = open(&disk);
    disk.crash();
    assert_eq!(open(&disk).1, records);
}

#[test]
fn a_torn_tail_is_cut_at_every_byte() {
    let (disk, whole, ends) = file_synced_up_to_the_first_record();
    for length in ends[0]..whole.len() {
        write(&disk, &whole[..length]);
        let (mut journal, records) = open(&disk);
        let complete = ends.iter().filter(|end| **end <= length).count();
        assert_eq!(records, SMALL[..complete], "cut at {length}");
        journal.append(b"next").unwrap();
        journal.sync().unwrap();
        assert_eq!(open(&disk).1.last().unwrap(), b"next");
    }
}

#[test]
fn what_was_never_synced_is_kept_up_to_the_first_byte_that_did_not_arrive() {
    let (disk, whole, ends) = file_synced_up_to_the_first_record();
    for place in ends[0]..whole.len() {
        let mut bytes = whole.clone();
        bytes[place] ^= 1;
        write(&disk, &bytes);
        let before = ends.iter().filter(|end| **end <= place).count();
        assert_eq!(open(&disk).1, SMALL[..before], "byte {place}");
    }
}

#[test]
fn a_synced_record_that_is_gone_is_refused() {
    let (disk, whole, _) = small_file();
    for length in 0..whole.len() {
        expect_damage(&disk, &whole[..length]);
    }
}

#[test]
fn a_tail_of_zeros_is_cut() {
    let (disk, mut whole, _) = small_file();
    whole.extend([0; 5000]);
    write(&disk, &whole);
    assert_eq!(open(&disk).1, SMALL);
    assert_eq!(open(&disk).1, SMALL);
}

#[test]
fn the_bytes_of_a_journal_stay_as_they_are() {
    let disk = disk();
    let (mut journal, _) = open(&disk);
    journal.append(b"one").unwrap();
    journal.append(b"").unwrap();
    let bytes = disk.read(Path::new(PATH)).unwrap();
    let mut lines = String::new();
    for line in bytes.chunks(16) {
        writeln!(lines, "{line:02x?}").unwrap();
    }
    expect![[r"
        [01, 03, 00, 00, 00, 6b, a7, 21, e0, 2a, 68, f8, 8c, 6f, 6e, 65]
        [01, 00, 00, 00, 00, 3e, bb, 5e, 08, ed, 3b, ed, b8]
    "]]
    .assert_eq(&lines);
}

#[test]
fn every_changed_bit_is_refused() {
    let (disk, whole, _) = small_file();
    for place in 0..whole.len() {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[place] ^= 1 << bit;
            expect_damage(&disk, &bytes);
        }
    }
}

#[test]
fn a_moved_record_is_refused() {
    let (disk, whole, ends) = small_file();
    expect_damage(&disk, &whole[ends[0]..]);
    expect_damage(&disk, &[&whole[..ends[1]], &whole[ends[0]..]].concat());
}

#[test]
fn rewriting_replaces_all_records_or_none() {
    let disk = disk();
    let (mut journal, _) = open(&disk);
    for _ in 0..100 {
        journal.append(b"long ago").unwrap();
    }
    let before = journal.length();
    journal.rewrite([&b"now"[..], b"and then"]).unwrap();
    assert!(journal.length() < before);
    disk.crash();
    let (mut journal, records) = open(&disk);
    assert_eq!(records, [&b"now"[..], b"and then"]);
    journal.append(b"later").unwrap();
    journal.rewrite([b"x"]).unwrap();
    journal.append(b"y").unwrap();
    journal.sync().unwrap();
    assert_eq!(open(&disk).1, [b"x", b"y"]);
}

#[test]
fn an_oversized_record_is_refused_and_changes_nothing() {
    let disk = disk();
    let (mut journal, _) = open(&disk);
    let oversized = vec![0; JournalFile::MAX_RECORD_BYTES + 1];
    assert!(matches!(journal.append(&oversized), Err(StorageError::TooLarge { .. })));
    assert!(matches!(journal.rewrite([&oversized]), Err(StorageError::TooLarge { .. })));
    journal.append(b"fine").unwrap();
    assert_eq!(open(&disk).1, [b"fine"]);
}

/// Includes an empty record and one of zeros.
const SMALL: [&[u8]; 4] = [b"first", b"", &[0; 40], b"last"];

/// A synced journal with the records of [`SMALL`], its bytes, and where each record ends.
fn small_file() -> (MemoryDisk, Vec<u8>, Vec<usize>) {
    let disk = disk();
    let (mut journal, _) = open(&disk);
    let mut ends = Vec::new();
    for record in SMALL {
        journal.append(record).unwrap();
        ends.push(usize::try_from(journal.length()).unwrap());
    }
    journal.sync().unwrap();
    let whole = disk.read(Path::new(PATH)).unwrap();
    (disk, whole, ends)
}

/// The same, but only the first record was ever synced.
fn file_synced_up_to_the_first_record() -> (MemoryDisk, Vec<u8>, Vec<usize>) {
    let disk = disk();
    let (mut journal, _) = open(&disk);
    journal.append(SMALL[0]).unwrap();
    journal.sync().unwrap();
    for record in &SMALL[1..] {
        journal.append(record).unwrap();
    }
    let whole = disk.read(Path::new(PATH)).unwrap();
    (disk, whole, small_file().2)
}

fn expect_damage(disk: &MemoryDisk, bytes: &[u8]) {
    write(disk, bytes);
    let error = JournalFile::open(Arc::new(disk.clone()), Path::new(PATH)).expect_err("the file was changed");
    assert!(matches!(error, StorageError::Damaged { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains(PATH) && text.contains("wipe"), "{text}");
    assert_eq!(disk.read(Path::new(PATH)).unwrap(), bytes, "a refused file is left as it is");
}

fn disk() -> MemoryDisk {
    let disk = MemoryDisk::new();
    disk.create_folders(Path::new("/data")).unwrap();
    disk
}

fn open(disk: &MemoryDisk) -> (JournalFile, Vec<Vec<u8>>) {
    JournalFile::open(Arc::new(disk.clone()), Path::new(PATH)).unwrap()
}

fn write(disk: &MemoryDisk, bytes: &[u8]) {
    let mut file = disk.create(Path::new(PATH)).unwrap();
    file.write(bytes).unwrap();
    file.sync().unwrap();
}
