//! Writing a snapshot beside its final name, and giving it that name when it is whole and synced.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use antfarm_planted::{Bug, planted};

use crate::StorageError;
use crate::disk::DiskWriter;
use crate::snapshot_files::format::{self, CHUNK_BYTES, Totals};
use crate::snapshot_files::{SnapshotFile, SnapshotFiles};

/// Tells apart writers that are busy with the same index.
static WRITER: AtomicU64 = AtomicU64::new(0);

/// A snapshot that is being written. Dropped before [`SnapshotWriter::finish`], it leaves nothing.
pub struct SnapshotWriter {
    files: SnapshotFiles,
    index: u64,
    beside: PathBuf,
    file: Box<dyn DiskWriter>,
    chunk: Vec<u8>,
    totals: Totals,
    finished: bool,
}

impl SnapshotWriter {
    /// The longest `meta` that a snapshot takes.
    pub const MAX_META_BYTES: usize = format::MAX_META_BYTES;

    pub(super) fn begin(files: SnapshotFiles, index: u64, meta: &[u8]) -> Result<Self, StorageError> {
        if meta.len() > Self::MAX_META_BYTES {
            return Err(StorageError::TooLarge {
                item: "snapshot description",
                bytes: meta.len() as u64,
                limit: Self::MAX_META_BYTES as u64,
            });
        }
        let number = WRITER.fetch_add(1, Ordering::Relaxed);
        let beside = files.folder.join(format!("snapshot-{index:020}.{number}.part"));
        let file = files.disk.create(&beside)?;
        let chunk = Vec::with_capacity(CHUNK_BYTES);
        let mut writer = Self { files, index, beside, file, chunk, totals: Totals::default(), finished: false };
        writer.file.write(&format::head(index, meta))?;
        Ok(writer)
    }

    /// Adds content. Pieces may have any size; the file has chunks of its own.
    pub fn write(&mut self, mut piece: &[u8]) -> Result<(), StorageError> {
        while !piece.is_empty() {
            let (now, later) = piece.split_at(piece.len().min(CHUNK_BYTES - self.chunk.len()));
            self.chunk.extend_from_slice(now);
            piece = later;
            if self.chunk.len() == CHUNK_BYTES {
                self.write_chunk()?;
            }
        }
        Ok(())
    }

    /// Makes the snapshot durable under its name, in place of an older one of the same index, and removes old ones.
    pub fn finish(mut self) -> Result<SnapshotFile, StorageError> {
        if !self.chunk.is_empty() {
            self.write_chunk()?;
        }
        self.file.write(&0_u32.to_le_bytes())?;
        self.file.write(&self.totals.end())?;
        if !planted(Bug::NamedUnsynced) {
            self.file.sync()?;
        }
        let path = self.files.path_of(self.index);
        self.files.disk.rename(&self.beside, &path)?;
        self.finished = true;
        if !planted(Bug::FolderNotSynced) {
            self.files.disk.sync_folder(&self.files.folder)?;
        }
        self.files.prune()?;
        Ok(SnapshotFile { index: self.index, path })
    }

    fn write_chunk(&mut self) -> Result<(), StorageError> {
        self.file.write(&format::chunk_head(self.totals.chunks, &self.chunk))?;
        self.file.write(&self.chunk)?;
        self.totals.add(&self.chunk);
        self.chunk.clear();
        Ok(())
    }
}

impl Drop for SnapshotWriter {
    fn drop(&mut self) {
        if !self.finished {
            // If this fails too, the next `SnapshotFiles::open` removes it.
            let _ = self.files.disk.remove(&self.beside);
        }
    }
}

impl std::fmt::Debug for SnapshotWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SnapshotWriter").field("beside", &self.beside).finish_non_exhaustive()
    }
}
