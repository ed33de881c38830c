//! The bytes of a snapshot file.
//!
//! ```text
//! head    "ANTFSNAP"  version u16  index u64  meta length u32  meta  crc u32
//! chunk   length u32 (1..=CHUNK_BYTES)  crc u32  content          crc is over number, length, content
//! ...
//! end     0 u32  chunks u64  bytes u64  crc u32                   crc is over all contents, then chunks and bytes
//! ```
//!
//! Numbers are little-endian, checksums CRC-32C. The file ends with its end: one byte more or less is damage.

/// Content bytes of every chunk but the last.
pub(super) const CHUNK_BYTES: usize = 256 << 10;

/// The newest format version.
pub(super) const VERSION: u16 = 1;

/// The longest `meta`.
pub(super) const MAX_META_BYTES: usize = 1 << 20;

pub(super) const MAGIC: &[u8; 8] = b"ANTFSNAP";

/// Bytes before `meta`.
pub(super) const HEAD_BYTES: usize = 8 + 2 + 8 + 4;

/// Bytes after the zero length that marks the end.
pub(super) const END_BYTES: usize = 8 + 8 + 4;

pub(super) fn head(index: u64, meta: &[u8]) -> Vec<u8> {
    let mut head = Vec::with_capacity(HEAD_BYTES + meta.len() + 4);
    head.extend_from_slice(MAGIC);
    head.extend_from_slice(&VERSION.to_le_bytes());
    head.extend_from_slice(&index.to_le_bytes());
    head.extend_from_slice(&length(meta).to_le_bytes());
    head.extend_from_slice(meta);
    let crc = crc32c::crc32c(&head);
    head.extend_from_slice(&crc.to_le_bytes());
    head
}

pub(super) fn chunk_head(number: u64, content: &[u8]) -> [u8; 8] {
    let mut head = [0; 8];
    head[..4].copy_from_slice(&length(content).to_le_bytes());
    head[4..].copy_from_slice(&chunk_crc(number, content).to_le_bytes());
    head
}

pub(super) fn chunk_crc(number: u64, content: &[u8]) -> u32 {
    let crc = crc32c::crc32c(&number.to_le_bytes());
    let crc = crc32c::crc32c_append(crc, &length(content).to_le_bytes());
    crc32c::crc32c_append(crc, content)
}

/// What is counted and summed up while chunks pass, on either side.
#[derive(Debug, Default)]
pub(super) struct Totals {
    pub(super) chunks: u64,
    bytes: u64,
    crc: u32,
}

impl Totals {
    pub(super) fn add(&mut self, content: &[u8]) {
        self.chunks += 1;
        self.bytes += content.len() as u64;
        self.crc = crc32c::crc32c_append(self.crc, content);
    }

    /// The end of the file, after the zero length.
    pub(super) fn end(&self) -> [u8; END_BYTES] {
        let mut end = [0; END_BYTES];
        end[..8].copy_from_slice(&self.chunks.to_le_bytes());
        end[8..16].copy_from_slice(&self.bytes.to_le_bytes());
        let crc = crc32c::crc32c_append(self.crc, &end[..16]);
        end[16..].copy_from_slice(&crc.to_le_bytes());
        end
    }
}

fn length(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).expect("meta and chunks are bounded far below 4 GiB")
}
