//! Both disks behave alike, and the one in memory forgets what was not synced.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use antfarm_storage::{DataFolderLock, Disk, MemoryDisk, StorageError, SystemDisk, write_atomically};

#[test]
fn the_system_disk_behaves() {
    let folder = tempfile::tempdir().unwrap();
    check(&SystemDisk, folder.path());
}

#[test]
fn the_memory_disk_behaves() {
    let disk = MemoryDisk::new();
    disk.create_folders(Path::new("/root")).unwrap();
    check(&disk, Path::new("/root"));
}

fn check(disk: &dyn Disk, root: &Path) {
    let folder = root.join("one/two");
    disk.create_folders(&folder).unwrap();
    disk.create_folders(&folder).unwrap();
    assert!(disk.exists(&folder).unwrap() && disk.exists(&root.join("one")).unwrap());
    assert!(disk.read(&folder.join("a")).unwrap_err().is_not_found());
    assert!(disk.open(&folder.join("a")).is_err_and(|error| error.is_not_found()));
    assert!(disk.create(&root.join("missing/a")).is_err_and(|error| error.is_not_found()));

    let mut file = disk.create(&folder.join("a")).unwrap();
    file.write(b"one ").unwrap();
    file.write(b"two").unwrap();
    file.sync().unwrap();
    disk.append(&folder.join("a")).unwrap().write(b" three").unwrap();
    assert_eq!(disk.read(&folder.join("a")).unwrap(), b"one two three");
    let mut reader = disk.open(&folder.join("a")).unwrap();
    let mut buffer = [0; 4];
    assert_eq!((reader.read(&mut buffer).unwrap(), &buffer), (4, b"one "));
    assert_eq!((reader.read(&mut buffer).unwrap(), &buffer), (4, b"two "));

    disk.append(&folder.join("b")).unwrap().write(b"b").unwrap();
    assert_eq!(disk.list(&folder).unwrap(), ["a", "b"]);
    disk.rename(&folder.join("b"), &folder.join("a")).unwrap();
    disk.sync_folder(&folder).unwrap();
    assert_eq!(disk.list(&folder).unwrap(), ["a"]);
    assert_eq!((reader.read(&mut buffer).unwrap(), &buffer), (4, b"thre"), "an open file outlives its name");
    drop(disk.create(&folder.join("a")).unwrap());
    assert_eq!(disk.read(&folder.join("a")).unwrap(), b"");
    write_atomically(disk, &folder.join("a"), b"whole").unwrap();
    assert_eq!(disk.read(&folder.join("a")).unwrap(), b"whole");
    check_file(disk, &folder.join("b"));
    disk.remove(&folder.join("b")).unwrap();
    disk.remove(&folder.join("a")).unwrap();
    assert!(disk.remove(&folder.join("a")).unwrap_err().is_not_found());
    assert_eq!(disk.list(&folder).unwrap(), Vec::<String>::new());
    assert_eq!(disk.list(root).unwrap(), ["one"]);

    let data = root.join("data");
    let lock = DataFolderLock::acquire(disk, &data).unwrap();
    let error = DataFolderLock::acquire(disk, &data).unwrap_err();
    assert!(matches!(&error, StorageError::Locked { path } if *path == data.join("lock")), "{error}");
    drop(lock);
    DataFolderLock::acquire(disk, &data).unwrap();
}

/// What is read and written at any place.
fn check_file(disk: &dyn Disk, path: &Path) {
    let file = disk.open_file(path).unwrap();
    file.write_at(3, b"four").unwrap();
    file.write_at(5, b"rm").unwrap();
    file.sync().unwrap();
    assert_eq!(disk.read(path).unwrap(), b"\0\0\0form");
    let again = disk.open_file(path).unwrap();
    let mut buffer = [0; 4];
    assert_eq!((again.read_at(2, &mut buffer).unwrap(), &buffer), (4, b"\0for"), "opening changes nothing");
    assert_eq!((again.read_at(6, &mut buffer).unwrap(), buffer[0]), (1, b'm'));
    assert_eq!((again.read_at(7, &mut buffer).unwrap(), again.read_at(99, &mut buffer).unwrap()), (0, 0));
    disk.remove(path).unwrap();
    again.write_at(0, b"x").unwrap();
    assert_eq!((file.read_at(0, &mut buffer).unwrap(), &buffer), (4, b"x\0\0f"), "an open file outlives its name");
    drop(disk.create(path).unwrap());
}

#[test]
fn a_power_cut_takes_what_was_written_in_place_since_the_sync() {
    let disk = MemoryDisk::new();
    disk.create_folders(Path::new("/d")).unwrap();
    let path = Path::new("/d/a");
    let file = disk.open_file(path).unwrap();
    disk.sync_folder(Path::new("/d")).unwrap();
    file.write_at(0, b"one two three").unwrap();
    file.sync().unwrap();
    file.write_at(4, b"TWO").unwrap();
    file.sync().unwrap();
    file.write_at(8, b"THREE").unwrap();
    file.write_at(0, b"ONE").unwrap();
    file.write_at(20, b"four").unwrap();
    assert_eq!(disk.read(path).unwrap(), b"ONE TWO THREE\0\0\0\0\0\0\0four");
    disk.crash();
    assert_eq!(disk.read(path).unwrap(), b"one TWO three");
    assert!(file.write_at(0, b"x").is_err() && file.read_at(0, &mut [0]).is_err(), "a dead process does nothing more");

    let file = disk.open_file(path).unwrap();
    drop(disk.create(path).unwrap());
    file.write_at(2, b"new").unwrap();
    file.sync().unwrap();
    disk.crash();
    assert_eq!(disk.read(path).unwrap(), b"\0\0new");
}

#[test]
fn a_power_cut_takes_unsynced_contents_names_and_removals() {
    let disk = MemoryDisk::new();
    disk.create_folders(Path::new("/d")).unwrap();
    write_atomically(&disk, Path::new("/d/kept"), b"old").unwrap();
    write_atomically(&disk, Path::new("/d/removed"), b"still here").unwrap();

    let mut content = disk.append(Path::new("/d/kept")).unwrap();
    content.write(b" and unsynced").unwrap();
    disk.remove(Path::new("/d/removed")).unwrap();
    let mut nameless = disk.create(Path::new("/d/nameless")).unwrap();
    nameless.write(b"synced").unwrap();
    nameless.sync().unwrap();
    disk.crash();

    assert_eq!(disk.list(Path::new("/d")).unwrap(), ["kept", "removed"]);
    assert_eq!(disk.read(Path::new("/d/kept")).unwrap(), b"old");
    assert!(content.write(b"x").is_err() && nameless.sync().is_err(), "a dead process writes no more");
}

#[test]
fn a_power_cut_ends_locks_and_an_old_lock_does_not_end_a_new_one() {
    let disk = MemoryDisk::new();
    let old = DataFolderLock::acquire(&disk, Path::new("/d")).unwrap();
    disk.crash();
    let _new = DataFolderLock::acquire(&disk, Path::new("/d")).unwrap();
    drop(old);
    assert!(DataFolderLock::acquire(&disk, Path::new("/d")).is_err());
}

#[test]
fn an_atomic_write_that_is_cut_short_leaves_the_old_content() {
    let disk = MemoryDisk::new();
    disk.create_folders(Path::new("/d")).unwrap();
    write_atomically(&disk, Path::new("/d/a"), b"old").unwrap();
    let mut file = disk.create(Path::new("/d/a.part")).unwrap();
    file.write(b"new").unwrap();
    file.sync().unwrap();
    disk.rename(Path::new("/d/a.part"), Path::new("/d/a")).unwrap();
    disk.crash();
    assert_eq!(disk.read(Path::new("/d/a")).unwrap(), b"old");
}
