//! Writing a whole file so that a crash leaves the old content or the new, never a mixture.

use std::path::{Path, PathBuf};

use crate::StorageError;
use crate::disk::Disk;

/// Gives `path` the content `bytes`, durably: written beside, synced, renamed, and the folder synced.
pub fn write_atomically(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> Result<(), StorageError> {
    let beside = beside(path);
    let mut file = disk.create(&beside)?;
    file.write(bytes)?;
    file.sync()?;
    disk.rename(&beside, path)?;
    disk.sync_folder(folder_of(path))
}

/// The folder that a file is in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) | None => Path::new("."),
    }
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}
