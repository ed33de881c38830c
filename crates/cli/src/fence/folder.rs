//! The folder as a whole: made once, entered with a key and a fence.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use antfarm_model::{Fence, Span};
use antfarm_storage::{Disk, SystemDisk, write_atomically};

use crate::fence::{Admission, FenceError, Key, KeyLock, register};

/// The file by which a folder is known to be one of fences.
pub(super) const MARK: &str = "antfarm-fences";

/// Its first line. Another format of the folder has another number.
const MARK_HEAD: &str = "antfarm fences 1\n";

/// Its others, for people.
const MARK_REST: &str = "Each *.fence has the highest fence of one key. Do not edit them.\n";

/// How often a lock that somebody else has is tried again.
const LOCK_POLL: Duration = Duration::from_millis(10);

/// A folder of fences.
#[derive(Debug)]
pub(crate) struct Fences {
    folder: PathBuf,
    disk: SystemDisk,
}

/// What came of a key and a fence.
#[derive(Debug)]
pub(crate) enum Entry {
    /// Admitted. Nothing else with this key is, until the lock is gone.
    Admitted(KeyLock),
    /// An attempt came with this higher fence.
    Stale(Fence),
}

impl Fences {
    /// Makes the folder, durably. One that is there already stays as it is.
    pub(crate) fn init(folder: &Path) -> Result<(), FenceError> {
        let disk = SystemDisk;
        disk.create_folders(folder)?;
        let mark = folder.join(MARK);
        if !disk.exists(&mark)? {
            write_atomically(&disk, &mark, format!("{MARK_HEAD}{MARK_REST}").as_bytes())?;
        }
        Ok(())
    }

    /// Opens a folder that was made before.
    pub(crate) fn open(folder: &Path) -> Result<Self, FenceError> {
        let mark = folder.join(MARK);
        match SystemDisk.read(&mark) {
            Ok(text) if text.starts_with(MARK_HEAD.as_bytes()) => {
                Ok(Self { folder: folder.to_owned(), disk: SystemDisk })
            }
            Ok(_) => Err(FenceError::Damaged { path: mark, why: "it has a format that this program does not know" }),
            Err(error) if error.is_not_found() => Err(FenceError::NoFences { folder: folder.to_owned() }),
            Err(error) => Err(error.into()),
        }
    }

    /// Admits a fence if no higher one was admitted before, or says which was. Waits for the lock of the key at most for
    /// `wait`; a fence that is known to be stale is refused without waiting.
    pub(crate) fn enter(&self, key: &Key, fence: Fence, wait: Span) -> Result<Entry, FenceError> {
        let record = self.folder.join(format!("{}.fence", key.file_stem()));
        let lock = self.folder.join(format!("{}.lock", key.file_stem()));
        let deadline = Instant::now() + wait.to_std();
        loop {
            if let Some(higher) = register::highest(&self.disk, &record, key)?.filter(|highest| *highest > fence) {
                return Ok(Entry::Stale(higher));
            }
            let taken = KeyLock::try_take(&lock).map_err(|source| FenceError::Lock { path: lock.clone(), source })?;
            if let Some(lock) = taken {
                return Ok(match register::admit(&self.disk, &record, key, fence)? {
                    Admission::Admitted => Entry::Admitted(lock),
                    Admission::Stale(higher) => Entry::Stale(higher),
                });
            }
            if Instant::now() >= deadline {
                return Err(FenceError::Locked { key: key.to_string(), wait });
            }
            thread::sleep(LOCK_POLL);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT_ONCE: Span = Span(0);

    fn key() -> Key {
        Key::new(b"nightly/clean").expect("a key")
    }

    fn folder() -> (tempfile::TempDir, Fences) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Fences::init(folder.path()).expect("it can be made");
        let fences = Fences::open(folder.path()).expect("it was made");
        (folder, fences)
    }

    #[test]
    fn a_folder_that_nobody_made_is_no_folder_without_fences() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        assert!(matches!(Fences::open(folder.path()), Err(FenceError::NoFences { .. })));
        assert!(matches!(Fences::open(&folder.path().join("nowhere")), Err(FenceError::NoFences { .. })));
    }

    #[test]
    fn a_folder_of_another_format_is_left_alone() {
        let (folder, _) = folder();
        std::fs::write(folder.path().join(MARK), "antfarm fences 2\n").expect("it can be written");
        assert!(matches!(Fences::open(folder.path()), Err(FenceError::Damaged { .. })));
    }

    #[test]
    fn making_a_folder_again_forgets_nothing() {
        let (folder, fences) = folder();
        assert!(matches!(fences.enter(&key(), Fence(7), AT_ONCE), Ok(Entry::Admitted(_))));
        Fences::init(folder.path()).expect("it may be made again");
        assert!(matches!(fences.enter(&key(), Fence(6), AT_ONCE), Ok(Entry::Stale(Fence(7)))));
    }

    #[test]
    fn while_one_is_inside_newer_ones_wait_and_older_ones_are_refused_at_once() {
        let (_folder, fences) = folder();
        let inside = fences.enter(&key(), Fence(7), AT_ONCE).expect("nobody is inside");
        assert!(matches!(fences.enter(&key(), Fence(8), Span(20)), Err(FenceError::Locked { .. })));
        assert!(matches!(fences.enter(&key(), Fence(6), Span::from_secs(600)), Ok(Entry::Stale(Fence(7)))));
        let other = Key::new(b"nightly/other").expect("a key");
        assert!(matches!(fences.enter(&other, Fence(1), AT_ONCE), Ok(Entry::Admitted(_))));
        drop(inside);
        assert!(matches!(fences.enter(&key(), Fence(8), AT_ONCE), Ok(Entry::Admitted(_))));
    }
}
