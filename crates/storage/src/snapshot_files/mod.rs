//! Snapshots as files in a folder of their own: whole or absent, checked when read, the oldest removed.

mod format;
#[cfg(test)]
mod fuzz;
mod reader;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::StorageError;
use crate::disk::Disk;

pub use reader::SnapshotReader;
pub use writer::SnapshotWriter;

/// How many snapshots are kept: the newest, and one before it for whoever still reads it.
const KEPT: usize = 2;

/// The snapshots in one folder. Clones are the same folder.
#[derive(Clone)]
pub struct SnapshotFiles {
    disk: Arc<dyn Disk>,
    folder: PathBuf,
}

/// A finished snapshot file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotFile {
    /// The log index that it was taken at.
    pub index: u64,
    /// Where it is.
    pub path: PathBuf,
}

impl SnapshotFiles {
    /// Opens the folder, makes it if need be, and removes what interrupted writes left and all but the newest snapshots.
    pub fn open(disk: Arc<dyn Disk>, folder: &Path) -> Result<Self, StorageError> {
        disk.create_folders(folder)?;
        let files = Self { disk, folder: folder.to_owned() };
        for name in files.disk.list(folder)? {
            if name.strip_prefix("snapshot-").is_some_and(|rest| rest.strip_suffix(".part").is_some()) {
                files.disk.remove(&folder.join(name))?;
            }
        }
        // A name that a killed process gave may not be durable yet.
        files.disk.sync_folder(folder)?;
        files.prune()?;
        Ok(files)
    }

    /// Begins a snapshot, to be written piece by piece. `meta` is the caller's description of it, at most
    /// [`SnapshotWriter::MAX_META_BYTES`]. It exists from [`SnapshotWriter::finish`] on.
    pub fn begin(&self, index: u64, meta: &[u8]) -> Result<SnapshotWriter, StorageError> {
        SnapshotWriter::begin(self.clone(), index, meta)
    }

    /// Writes a whole snapshot. When this returns it is durable, and older ones but the one before it are removed.
    pub fn save(
        &self,
        index: u64,
        meta: &[u8],
        pieces: impl IntoIterator<Item = impl AsRef<[u8]>>,
    ) -> Result<SnapshotFile, StorageError> {
        let mut writer = self.begin(index, meta)?;
        for piece in pieces {
            writer.write(piece.as_ref())?;
        }
        writer.finish()
    }

    /// The snapshot with the highest index, if there is any. What it contains is checked when it is read; a damaged one
    /// is not passed over for an older one, because the log behind the older one may be purged.
    pub fn latest(&self) -> Result<Option<SnapshotFile>, StorageError> {
        Ok(self.all()?.pop())
    }

    /// Opens a snapshot and checks its head.
    pub fn load(&self, snapshot: &SnapshotFile) -> Result<SnapshotReader, StorageError> {
        SnapshotReader::open(self.disk.as_ref(), snapshot)
    }

    /// All snapshots, the oldest first.
    fn all(&self) -> Result<Vec<SnapshotFile>, StorageError> {
        let names = self.disk.list(&self.folder)?;
        let found = names.iter().filter_map(|name| {
            let number = name.strip_prefix("snapshot-")?.strip_suffix(".snap")?;
            Some(SnapshotFile { index: number.parse().ok()?, path: self.folder.join(name) })
        });
        let mut found: Vec<_> = found.collect();
        found.sort_by_key(|snapshot| snapshot.index);
        Ok(found)
    }

    fn path_of(&self, index: u64) -> PathBuf {
        self.folder.join(format!("snapshot-{index:020}.snap"))
    }

    fn prune(&self) -> Result<(), StorageError> {
        let all = self.all()?;
        for old in &all[..all.len().saturating_sub(KEPT)] {
            match self.disk.remove(&old.path) {
                // Another writer that finished at the same time may have removed it.
                Err(error) if !error.is_not_found() => return Err(error),
                Err(_) | Ok(()) => {}
            }
        }
        Ok(())
    }
}

impl std::fmt::Debug for SnapshotFiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SnapshotFiles").field("folder", &self.folder).finish_non_exhaustive()
    }
}
