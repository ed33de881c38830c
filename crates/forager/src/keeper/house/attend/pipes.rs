//! What a program writes.

use std::io;
use std::os::fd::OwnedFd;

use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;

use crate::executor::Log;

/// Most programs write less.
const FIRST_CHUNK_BYTES: usize = 1 << 10;

/// What is read at a time of one that writes much.
const CHUNK_BYTES: usize = 16 << 10;

/// A pipe: where it is read, and the end for the program.
pub(super) fn pipe() -> io::Result<(Receiver, OwnedFd)> {
    let (reads, writes) = io::pipe()?;
    Ok((Receiver::from_owned_fd(reads.into())?, writes.into()))
}

/// Keeps the end of what the program writes to its standard error.
pub(super) async fn keep(pipe: Receiver, log: &Log) {
    read(pipe, |bytes| log.push(bytes)).await;
}

/// What a program wrote to its standard output; of too much only that it was too much.
pub(super) struct Output {
    bytes: Vec<u8>,
    limit: usize,
    /// It wrote more than `limit`.
    pub(super) too_large: bool,
}

impl Output {
    pub(super) fn new(limit: usize) -> Self {
        Self { bytes: Vec::new(), limit, too_large: false }
    }

    /// Reads to the end, also beyond the limit, so that the program is not stopped by a full pipe.
    pub(super) async fn take(&mut self, pipe: Receiver) {
        read(pipe, |bytes| {
            if self.bytes.len() + bytes.len() > self.limit {
                self.too_large = true;
                self.bytes = Vec::new();
            } else if !self.too_large {
                self.bytes.extend_from_slice(bytes);
            }
        })
        .await;
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

async fn read(mut pipe: Receiver, mut take: impl FnMut(&[u8])) {
    let mut chunk = vec![0; FIRST_CHUNK_BYTES];
    while let Ok(count @ 1..) = pipe.read(&mut chunk).await {
        take(&chunk[..count]);
        if count == chunk.len() {
            chunk.resize(CHUNK_BYTES, 0);
        }
    }
}
