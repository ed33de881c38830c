//! No power cut, killed process or foreign file makes a record forget a fence that was admitted.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use antfarm_storage::{DiskFile, DiskLock, DiskReader, DiskWriter, MemoryDisk, StorageError};

use super::*;

const FOLDER: &str = "/fences";

fn key() -> Key {
    Key::new(b"nightly/clean").expect("a key")
}

fn path() -> PathBuf {
    Path::new(FOLDER).join("record.fence")
}

fn disk() -> MemoryDisk {
    let disk = MemoryDisk::new();
    disk.create_folders(Path::new(FOLDER)).expect("memory takes everything");
    disk
}

fn admits(disk: &dyn Disk, fence: u64) -> Admission {
    admit(disk, &path(), &key(), Fence(fence)).expect("the disk works")
}

#[test]
fn a_higher_fence_and_the_same_again_are_admitted_and_a_lower_one_is_not() {
    let disk = disk();
    assert_eq!(highest(&disk, &path(), &key()).expect("the disk works"), None);
    let answers = [5, 5, 9, 8, 5, 9, u64::MAX, 10].map(|fence| admits(&disk, fence));
    let [first, again, higher, lower, old, same, most, less] = answers;
    assert!([first, again, higher, same, most].iter().all(|answer| *answer == Admission::Admitted), "{answers:?}");
    assert_eq!(
        [lower, old, less],
        [Admission::Stale(Fence(9)), Admission::Stale(Fence(9)), Admission::Stale(Fence(u64::MAX))]
    );
}

#[test]
fn a_power_cut_after_any_step_leaves_the_old_fence_or_the_new_one() {
    let mut steps = 0;
    loop {
        let disk = disk();
        assert_eq!(admits(&disk, 5), Admission::Admitted);
        let failing = Failing { disk: disk.clone(), left: Arc::new(AtomicUsize::new(steps)) };
        let answer = admit(&failing, &path(), &key(), Fence(9));
        disk.crash();
        let found = highest(&disk, &path(), &key()).expect("the record is whole");
        if matches!(answer, Ok(Admission::Admitted)) {
            assert_eq!(found, Some(Fence(9)), "admitted, and forgotten by a power cut");
            break;
        }
        assert_eq!(found, Some(Fence(5)), "cut after {steps} steps");
        assert_eq!(admits(&disk, 9), Admission::Admitted, "cut after {steps} steps");
        steps += 1;
    }
    assert_eq!(steps, 5, "create, write, sync, rename, sync the folder");
}

#[test]
fn a_fence_that_a_killed_process_left_half_durable_is_durable_before_it_is_admitted_again() {
    let disk = disk();
    assert_eq!(admits(&disk, 5), Admission::Admitted);
    for left in 0.. {
        let failing = Failing { disk: disk.clone(), left: Arc::new(AtomicUsize::new(left)) };
        let killed = admit(&failing, &path(), &key(), Fence(9)).is_err(); // the power stays on
        if highest(&disk, &path(), &key()).expect("the record is whole") == Some(Fence(9)) {
            assert!(killed, "it was killed between the rename and the sync of the folder");
            break;
        }
    }
    assert_eq!(admits(&disk, 9), Admission::Admitted);
    disk.crash();
    assert_eq!(admits(&disk, 5), Admission::Stale(Fence(9)));
}

#[test]
fn what_is_no_record_is_an_error_and_stays_as_it_is() {
    let long = vec![b'x'; 1 << 20];
    let other = record::encode(&Key::new(b"nightly/other").expect("a key"), Fence(5));
    let newer = "antfarm fence 2\nkey nightly/clean\n".to_owned();
    for foreign in [b"", &b"hello\n"[..], &[0xff; 64], &long, other.as_bytes(), newer.as_bytes()] {
        let disk = disk();
        write_atomically(&disk, &path(), foreign).expect("the disk works");
        let answer = admit(&disk, &path(), &key(), Fence(9));
        assert!(matches!(answer, Err(FenceError::Damaged { .. })), "{answer:?}");
        assert_eq!(disk.read(&path()).expect("the disk works"), foreign);
    }
}

/// A disk that takes so many changes and syncs, and then no more.
#[derive(Clone)]
struct Failing {
    disk: MemoryDisk,
    left: Arc<AtomicUsize>,
}

impl Failing {
    fn step(&self) -> Result<(), StorageError> {
        let left = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        // The error that a disk gives whose power was cut; which one does not matter.
        left.map(|_| ()).map_err(|_| self.disk.read(Path::new("/gone")).expect_err("there is no such file"))
    }
}

impl Disk for Failing {
    fn read(&self, path: &Path) -> Result<Vec<u8>, StorageError> {
        self.disk.read(path)
    }
    fn open(&self, path: &Path) -> Result<Box<dyn DiskReader>, StorageError> {
        self.disk.open(path)
    }
    fn create(&self, path: &Path) -> Result<Box<dyn DiskWriter>, StorageError> {
        self.step()?;
        Ok(Box::new(FailingFile { file: self.disk.create(path)?, disk: self.clone() }))
    }
    fn append(&self, path: &Path) -> Result<Box<dyn DiskWriter>, StorageError> {
        self.step()?;
        Ok(Box::new(FailingFile { file: self.disk.append(path)?, disk: self.clone() }))
    }
    fn open_file(&self, path: &Path) -> Result<Box<dyn DiskFile>, StorageError> {
        self.disk.open_file(path)
    }
    fn exists(&self, path: &Path) -> Result<bool, StorageError> {
        self.disk.exists(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> Result<(), StorageError> {
        self.step()?;
        self.disk.rename(from, to)
    }
    fn remove(&self, path: &Path) -> Result<(), StorageError> {
        self.step()?;
        self.disk.remove(path)
    }
    fn list(&self, folder: &Path) -> Result<Vec<String>, StorageError> {
        self.disk.list(folder)
    }
    fn sync_folder(&self, folder: &Path) -> Result<(), StorageError> {
        self.step()?;
        self.disk.sync_folder(folder)
    }
    fn create_folders(&self, folder: &Path) -> Result<(), StorageError> {
        self.step()?;
        self.disk.create_folders(folder)
    }
    fn lock(&self, path: &Path) -> Result<Box<dyn DiskLock>, StorageError> {
        self.step()?;
        self.disk.lock(path)
    }
}

struct FailingFile {
    file: Box<dyn DiskWriter>,
    disk: Failing,
}

impl DiskWriter for FailingFile {
    fn write(&mut self, bytes: &[u8]) -> Result<(), StorageError> {
        self.disk.step()?;
        self.file.write(bytes)
    }
    fn sync(&mut self) -> Result<(), StorageError> {
        self.disk.step()?;
        self.file.sync()
    }
}
