//! Reading a snapshot chunk by chunk, each checked before it is handed out.

use std::path::PathBuf;

use bytes::Bytes;

use crate::disk::{Disk, DiskReader, read_full};
use crate::error::{Damage, Item, StorageError};
use crate::snapshot_files::SnapshotFile;
use crate::snapshot_files::format::{self, CHUNK_BYTES, END_BYTES, HEAD_BYTES, MAGIC, MAX_META_BYTES, Totals, VERSION};

/// A snapshot that is being read.
///
/// A chunk that was handed out is as it was written, but only `None` says that nothing is missing behind it.
pub struct SnapshotReader {
    path: PathBuf,
    file: Box<dyn DiskReader>,
    meta: Vec<u8>,
    totals: Totals,
    ended: bool,
}

impl SnapshotReader {
    pub(super) fn open(disk: &dyn Disk, snapshot: &SnapshotFile) -> Result<Self, StorageError> {
        let path = snapshot.path.clone();
        let file = disk.open(&path)?;
        let mut reader = Self { path, file, meta: Vec::new(), totals: Totals::default(), ended: false };
        reader.read_head(snapshot.index)?;
        Ok(reader)
    }

    /// What the writer gave as its description.
    pub fn meta(&self) -> &[u8] {
        &self.meta
    }

    /// The next chunk, or `None` at the end, when everything has been read and checked.
    pub fn next_chunk(&mut self) -> Result<Option<Bytes>, StorageError> {
        if self.ended {
            return Ok(None);
        }
        let number = self.totals.chunks;
        let item = Item::SnapshotChunk(number);
        let length = u32::from_le_bytes(self.take(item)?) as usize;
        if length == 0 {
            self.read_end()?;
            return Ok(None);
        }
        if length > CHUNK_BYTES {
            return Err(self.damaged(Damage::Malformed { item }));
        }
        let crc = u32::from_le_bytes(self.take(item)?);
        let content = self.take_vec(length, item)?;
        if crc != format::chunk_crc(number, &content) {
            return Err(self.damaged(Damage::Checksum { item }));
        }
        self.totals.add(&content);
        Ok(Some(Bytes::from(content)))
    }

    /// All that is left, in one piece. For snapshots that are known to fit into memory.
    pub fn read_to_end(&mut self) -> Result<Vec<u8>, StorageError> {
        let mut all = Vec::new();
        while let Some(chunk) = self.next_chunk()? {
            all.extend_from_slice(&chunk);
        }
        Ok(all)
    }

    fn read_head(&mut self, index: u64) -> Result<(), StorageError> {
        let item = Item::SnapshotHead;
        let fixed: [u8; HEAD_BYTES] = self.take(item)?;
        let (magic, rest) = fixed.split_at(MAGIC.len());
        let version = u16::from_le_bytes([rest[0], rest[1]]);
        let length = u32::from_le_bytes([rest[10], rest[11], rest[12], rest[13]]) as usize;
        if magic != MAGIC || length > MAX_META_BYTES {
            return Err(self.damaged(Damage::Malformed { item }));
        }
        if version > VERSION {
            return Err(self.damaged(Damage::Version { item, found: version, known: VERSION }));
        }
        let meta = self.take_vec(length, item)?;
        let crc = u32::from_le_bytes(self.take(item)?);
        if crc != crc32c::crc32c_append(crc32c::crc32c(&fixed), &meta) {
            return Err(self.damaged(Damage::Checksum { item }));
        }
        if rest[2..10] != index.to_le_bytes() {
            return Err(self.damaged(Damage::Malformed { item }));
        }
        self.meta = meta;
        Ok(())
    }

    fn read_end(&mut self) -> Result<(), StorageError> {
        let item = Item::SnapshotEnd;
        let end: [u8; END_BYTES] = self.take(item)?;
        if end != self.totals.end() {
            return Err(self.damaged(Damage::Checksum { item }));
        }
        if self.file.read(&mut [0])? != 0 {
            return Err(self.damaged(Damage::Malformed { item }));
        }
        self.ended = true;
        Ok(())
    }

    fn take<const N: usize>(&mut self, item: Item) -> Result<[u8; N], StorageError> {
        let mut bytes = [0; N];
        self.fill(&mut bytes, item)?;
        Ok(bytes)
    }

    fn take_vec(&mut self, length: usize, item: Item) -> Result<Vec<u8>, StorageError> {
        let mut bytes = vec![0; length];
        self.fill(&mut bytes, item)?;
        Ok(bytes)
    }

    fn fill(&mut self, buffer: &mut [u8], item: Item) -> Result<(), StorageError> {
        if read_full(self.file.as_mut(), buffer)? < buffer.len() {
            return Err(self.damaged(Damage::Malformed { item }));
        }
        Ok(())
    }

    fn damaged(&self, what: Damage) -> StorageError {
        StorageError::damaged(&self.path, what)
    }
}

impl std::fmt::Debug for SnapshotReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SnapshotReader").field("path", &self.path).finish_non_exhaustive()
    }
}
