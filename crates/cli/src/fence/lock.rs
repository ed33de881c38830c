//! The lock of a key: an advisory lock on a file that stays, which a command can inherit.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::io::{FdFlags, fcntl_setfd};

/// The exclusive right to a key. It ends when no process has the open file any more, however that comes about.
#[derive(Debug)]
pub(crate) struct KeyLock(File);

impl KeyLock {
    /// Takes the lock, unless somebody has it.
    pub(super) fn try_take(path: &Path) -> io::Result<Option<Self>> {
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(is_at(&file, path)?.then_some(Self(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Leaves the lock to the program that this process becomes next, and to all that it starts.
    pub(crate) fn hand_down(&self) -> io::Result<()> {
        Ok(fcntl_setfd(&self.0, FdFlags::empty())?)
    }
}

/// Whether the file still has its name. If somebody removed it between our opening and locking it, others lock another.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let ours = file.metadata()?;
    match std::fs::metadata(path) {
        Ok(there) => Ok((there.dev(), there.ino()) == (ours.dev(), ours.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_exclusive_until_it_is_dropped() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("lock");
        let first = KeyLock::try_take(&path).expect("it can be locked").expect("nobody has it");
        assert!(KeyLock::try_take(&path).expect("it can be asked for").is_none());
        drop(first);
        assert!(KeyLock::try_take(&path).expect("it can be locked").is_some());
    }

    #[test]
    fn a_lock_on_a_file_that_lost_its_name_is_none() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("lock");
        let file = File::create(&path).expect("it can be made");
        std::fs::remove_file(&path).expect("it can be removed");
        assert!(!is_at(&file, &path).expect("it can be asked for"));
        File::create(&path).expect("it can be made again");
        assert!(!is_at(&file, &path).expect("it can be asked for"));
    }
}
