//! Snapshots are whole or absent, checked when they are read, and do not pile up.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use antfarm_storage::{Disk, MemoryDisk, SnapshotFile, SnapshotFiles, SnapshotWriter, StorageError, SystemDisk};
use expect_test::expect;

const META: &[u8] = b"who and when";

#[test]
fn a_snapshot_comes_back_as_it_was_written() {
    let (_disk, files) = open();
    assert_eq!(files.latest().unwrap(), None);
    for size in [0, 1, 1000, (256 << 10) - 1, 256 << 10, (256 << 10) + 1, 3 << 20] {
        let content = content(size);
        let saved = files.save(7, META, content.chunks(10_007)).unwrap();
        assert_eq!(files.latest().unwrap(), Some(saved.clone()));
        let mut reader = files.load(&saved).unwrap();
        assert_eq!(reader.meta(), META);
        assert_eq!(reader.read_to_end().unwrap(), content);
        assert_eq!(reader.next_chunk().unwrap(), None);
    }
}

#[test]
fn a_snapshot_on_the_real_disk_comes_back_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let files = SnapshotFiles::open(Arc::new(SystemDisk), &folder.path().join("a/b")).unwrap();
    let saved = files.save(3, META, [content(1 << 20)]).unwrap();
    assert!(saved.path.ends_with("a/b/snapshot-00000000000000000003.snap"));
    assert_eq!(files.load(&saved).unwrap().read_to_end().unwrap(), content(1 << 20));
}

#[test]
fn a_finished_snapshot_survives_a_power_cut_and_an_unfinished_one_leaves_nothing() {
    let (disk, files) = open();
    let saved = files.save(1, META, [b"one"]).unwrap();
    let mut unfinished = files.begin(2, META).unwrap();
    unfinished.write(&content(1 << 20)).unwrap();
    disk.crash();
    let files = SnapshotFiles::open(Arc::new(disk.clone()), Path::new("/snapshots")).unwrap();
    assert_eq!(files.latest().unwrap(), Some(saved.clone()));
    assert_eq!(files.load(&saved).unwrap().read_to_end().unwrap(), b"one");
    assert!(unfinished.finish().is_err());
}

#[test]
fn a_snapshot_that_is_given_up_leaves_nothing() {
    let (disk, files) = open();
    let mut given_up = files.begin(2, META).unwrap();
    given_up.write(b"some").unwrap();
    assert_eq!(disk.list(Path::new("/snapshots")).unwrap().len(), 1);
    drop(given_up);
    assert_eq!(disk.list(Path::new("/snapshots")).unwrap(), Vec::<String>::new());
}

#[test]
fn leftovers_of_a_killed_process_are_removed_and_foreign_files_are_not() {
    let (disk, files) = open();
    files.save(1, META, [b"one"]).unwrap();
    write(&disk, Path::new("/snapshots/snapshot-00000000000000000002.0.part"), b"half");
    write(&disk, Path::new("/snapshots/notes.txt"), b"mine");
    SnapshotFiles::open(Arc::new(disk.clone()), Path::new("/snapshots")).unwrap();
    let left = disk.list(Path::new("/snapshots")).unwrap();
    assert_eq!(left, ["notes.txt", "snapshot-00000000000000000001.snap"]);
}

#[test]
fn the_newest_two_are_kept() {
    let (disk, files) = open();
    for index in [5, 9, 10, 200] {
        files.save(index, META, [b"x"]).unwrap();
    }
    let left = disk.list(Path::new("/snapshots")).unwrap();
    assert_eq!(left, ["snapshot-00000000000000000010.snap", "snapshot-00000000000000000200.snap"]);
    assert_eq!(files.latest().unwrap().unwrap().index, 200);
}

#[test]
fn two_writers_of_the_same_index_do_not_disturb_each_other() {
    let (_disk, files) = open();
    let mut one = files.begin(4, META).unwrap();
    let mut two = files.begin(4, META).unwrap();
    one.write(b"one").unwrap();
    two.write(b"two").unwrap();
    one.finish().unwrap();
    let last = two.finish().unwrap();
    assert_eq!(files.load(&last).unwrap().read_to_end().unwrap(), b"two");
}

#[test]
fn an_oversized_description_is_refused() {
    let (_disk, files) = open();
    let meta = vec![0; SnapshotWriter::MAX_META_BYTES + 1];
    assert!(matches!(files.begin(1, &meta), Err(StorageError::TooLarge { .. })));
}

#[test]
fn the_bytes_of_a_snapshot_stay_as_they_are() {
    let (disk, files) = open();
    let saved = files.save(0x0102, b"meta", [b"content"]).unwrap();
    let bytes = disk.read(&saved.path).unwrap();
    let mut lines = String::new();
    for line in bytes.chunks(16) {
        writeln!(lines, "{line:02x?}").unwrap();
    }
    expect![[r"
        [41, 4e, 54, 46, 53, 4e, 41, 50, 01, 00, 02, 01, 00, 00, 00, 00]
        [00, 00, 04, 00, 00, 00, 6d, 65, 74, 61, eb, 21, f9, f3, 07, 00]
        [00, 00, 57, 2c, 63, 85, 63, 6f, 6e, 74, 65, 6e, 74, 00, 00, 00]
        [00, 01, 00, 00, 00, 00, 00, 00, 00, 07, 00, 00, 00, 00, 00, 00]
        [00, 5b, 09, e6, a3]
    "]]
    .assert_eq(&lines);
}

#[test]
fn every_changed_bit_is_noticed() {
    let (disk, files) = open();
    let saved = files.save(1, META, [b"a small state"]).unwrap();
    let whole = disk.read(&saved.path).unwrap();
    for place in 0..whole.len() {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[place] ^= 1 << bit;
            expect_damage(&disk, &files, &saved, &bytes);
        }
    }
}

#[test]
fn every_missing_or_added_end_is_noticed() {
    let (disk, files) = open();
    let saved = files.save(1, META, [b"a small state"]).unwrap();
    let whole = disk.read(&saved.path).unwrap();
    for length in 0..whole.len() {
        expect_damage(&disk, &files, &saved, &whole[..length]);
    }
    expect_damage(&disk, &files, &saved, &[&whole[..], &[0]].concat());
}

#[test]
fn chunks_in_another_order_are_noticed() {
    const CHUNK: usize = 8 + (256 << 10);
    let (disk, files) = open();
    let saved = files.save(1, META, [content(512 << 10)]).unwrap();
    let mut bytes = disk.read(&saved.path).unwrap();
    let chunks = bytes.len() - 24 - 2 * CHUNK;
    bytes[chunks..chunks + 2 * CHUNK].rotate_left(CHUNK);
    expect_damage(&disk, &files, &saved, &bytes);
}

#[test]
fn a_snapshot_under_the_name_of_another_is_noticed() {
    let (disk, files) = open();
    let saved = files.save(1, META, [b"one"]).unwrap();
    let bytes = disk.read(&saved.path).unwrap();
    let renamed = SnapshotFile { index: 2, path: PathBuf::from("/snapshots/snapshot-00000000000000000002.snap") };
    expect_damage(&disk, &files, &renamed, &bytes);
}

/// Reading it fails with an error that names the file and the way out.
fn expect_damage(disk: &MemoryDisk, files: &SnapshotFiles, snapshot: &SnapshotFile, bytes: &[u8]) {
    write(disk, &snapshot.path, bytes);
    let read = files.load(snapshot).and_then(|mut reader| reader.read_to_end());
    let error = read.expect_err("the file was changed");
    assert!(matches!(error, StorageError::Damaged { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains(&snapshot.path.display().to_string()) && text.contains("join again"), "{text}");
}

fn open() -> (MemoryDisk, SnapshotFiles) {
    let disk = MemoryDisk::new();
    let files = SnapshotFiles::open(Arc::new(disk.clone()), Path::new("/snapshots")).unwrap();
    (disk, files)
}

fn write(disk: &MemoryDisk, path: &Path, bytes: &[u8]) {
    let mut file = disk.create(path).unwrap();
    file.write(bytes).unwrap();
    file.sync().unwrap();
    disk.sync_folder(path.parent().unwrap()).unwrap();
}

fn content(size: usize) -> Vec<u8> {
    (0..size).map(|place| (place.wrapping_mul(31) ^ (place >> 9)).to_le_bytes()[0]).collect()
}
