//! A snapshot on its way in: written beside the others, and handed to openraft when it is whole and verified.

use std::io;

use antfarm_storage::{SnapshotFiles, SnapshotWriter};

use crate::snapshot::{self, RaftSnapshot, SnapshotContent, SnapshotHead};
use crate::transport::wire::SnapshotEndV1;
use crate::types::SnapshotMeta;

/// What has arrived so far. Dropped, it leaves nothing.
pub(super) struct Incoming {
    meta: SnapshotMeta,
    writer: Box<SnapshotWriter>,
    bytes: u64,
    crc: u32,
}

impl Incoming {
    pub(super) fn begin(files: &SnapshotFiles, head: SnapshotHead) -> io::Result<Self> {
        let meta = SnapshotMeta::try_from(head)?;
        let writer = Box::new(snapshot::begin(files, &meta)?);
        Ok(Self { meta, writer, bytes: 0, crc: 0 })
    }

    pub(super) fn chunk(&mut self, content: &[u8]) -> io::Result<()> {
        self.bytes += content.len() as u64;
        self.crc = crc32c::crc32c_append(self.crc, content);
        self.writer.write(content).map_err(io::Error::other)
    }

    /// Checks that everything arrived as it was sent.
    pub(super) fn end(self, end: SnapshotEndV1) -> io::Result<RaftSnapshot> {
        if (self.bytes, self.crc) != (end.bytes, end.crc) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a snapshot arrived incomplete or altered"));
        }
        Ok(RaftSnapshot { meta: self.meta, snapshot: SnapshotContent::Received(self.writer) })
    }
}
