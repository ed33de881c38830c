//! The lock that keeps a data folder to one process.

use std::path::Path;

use crate::StorageError;
use crate::disk::{Disk, DiskLock};

/// The exclusive right to use a data folder, until it is dropped.
pub struct DataFolderLock {
    _lock: Box<dyn DiskLock>,
}

impl DataFolderLock {
    /// Takes the right to use `folder`, which is made if need be.
    ///
    /// [`StorageError::Locked`] if anybody has it, this process included.
    pub fn acquire(disk: &dyn Disk, folder: &Path) -> Result<Self, StorageError> {
        disk.create_folders(folder)?;
        Ok(Self { _lock: disk.lock(&folder.join("lock"))? })
    }
}

impl std::fmt::Debug for DataFolderLock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DataFolderLock")
    }
}
