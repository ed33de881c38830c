//! Hostile bytes for a snapshot file.

use std::path::Path;
use std::sync::Arc;

use antfarm_fuzzing::Target;

use super::format::{self, CHUNK_BYTES, MAX_META_BYTES, Totals};
use super::{SnapshotFile, SnapshotReader};
use crate::disk::{Disk, MemoryDisk, write_atomically};

const INDEX: u64 = 7;

fn snapshot(meta: &[u8], chunks: &[&[u8]]) -> Vec<u8> {
    let mut bytes = format::head(INDEX, meta);
    let mut totals = Totals::default();
    for chunk in chunks {
        bytes.extend_from_slice(&format::chunk_head(totals.chunks, chunk));
        bytes.extend_from_slice(chunk);
        totals.add(chunk);
    }
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(&totals.end());
    bytes
}

/// Description and content of a file with these bytes.
fn read(bytes: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let (disk, path) = (MemoryDisk::new(), Path::new("/s/snapshot"));
    disk.create_folders(Path::new("/s")).ok()?;
    write_atomically(&disk, path, bytes).ok()?;
    let disk: Arc<dyn Disk> = Arc::new(disk);
    let mut reader = SnapshotReader::open(disk.as_ref(), &SnapshotFile { index: INDEX, path: path.to_owned() }).ok()?;
    let content = reader.read_to_end().ok()?;
    Some((reader.meta().to_vec(), content))
}

#[test]
fn snapshot_files() {
    Target::new(env!("CARGO_MANIFEST_DIR"), "snapshot_files")
        .sample(snapshot(b"meta", &[b"one", b"two"]))
        .sample(snapshot(b"", &[]))
        // The file is copied to a disk in memory first, and its content is collected.
        .takes(8)
        // A description and a chunk get their room at once, and are then read.
        .beside(CHUNK_BYTES.max(MAX_META_BYTES))
        .dense(|elements| snapshot(&vec![7; elements], &[]))
        .dense(|elements| snapshot(b"", &[&vec![7; elements.min(CHUNK_BYTES)][..]]))
        .dense(|_| {
            let mut lie = format::head(INDEX, b"");
            lie[18..22].copy_from_slice(&(1_u32 << 20).to_le_bytes());
            lie
        })
        .run(read, |bytes, (meta, content)| {
            let rest = meta.len() + content.len();
            assert!(rest < bytes.len());
        });
}
