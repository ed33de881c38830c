//! Frames on a byte stream: `[length u32][crc32c u32][body]`, numbers little endian, the length bounded before anything
//! is allocated.

use std::io;

use antfarm_planted::{Bug, planted};
use bytes::{Buf, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

const HEADER_BYTES: usize = 8;

/// A frame that has begun gets at least so much room.
const READ_BYTES: usize = 16 << 10;

/// Reads frames. Dropping a half-finished [`FrameReader::next`] loses nothing.
pub(super) struct FrameReader<S> {
    stream: S,
    buffer: BytesMut,
    max_bytes: usize,
}

impl<S: AsyncRead + Unpin> FrameReader<S> {
    pub(super) fn new(stream: S, max_bytes: usize) -> Self {
        Self { stream, buffer: BytesMut::new(), max_bytes }
    }

    /// Changes how long a frame may be.
    pub(super) fn allow(&mut self, max_bytes: usize) {
        self.max_bytes = max_bytes;
    }

    /// The body of the next frame. The end of the stream is an error.
    pub(super) async fn next(&mut self) -> io::Result<Bytes> {
        loop {
            if let Some(body) = self.parse()? {
                return Ok(body);
            }
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    fn parse(&mut self) -> io::Result<Option<Bytes>> {
        let Some((length, rest)) = self.buffer.split_first_chunk::<4>() else { return Ok(None) };
        let length = u32::from_le_bytes(*length) as usize;
        if length > self.max_bytes && !planted(Bug::LengthBelieved) {
            let text = format!("a peer announced a frame of {length} bytes, the limit is {}", self.max_bytes);
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        let Some((crc, _)) = rest.split_first_chunk::<4>() else { return Ok(None) };
        let crc = u32::from_le_bytes(*crc);
        if self.buffer.len() < HEADER_BYTES + length {
            // What is announced gets room as it arrives: at most as much again as is here.
            let missing = HEADER_BYTES + length - self.buffer.len();
            let as_it_arrives = missing.min(self.buffer.len().max(READ_BYTES));
            self.buffer.reserve(if planted(Bug::LengthBelieved) { missing } else { as_it_arrives });
            return Ok(None);
        }
        self.buffer.advance(HEADER_BYTES);
        let body = self.buffer.split_to(length).freeze();
        if crc32c::crc32c(&body) != crc {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a frame of a peer has a wrong checksum"));
        }
        Ok(Some(body))
    }
}

/// Writes one frame, all of it or an error.
pub(super) async fn write_frame<S: AsyncWrite + Unpin>(stream: &mut S, body: &[u8]) -> io::Result<()> {
    let length = u32::try_from(body.len()).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    let mut bytes = Vec::with_capacity(HEADER_BYTES + body.len());
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(&crc32c::crc32c(body).to_le_bytes());
    bytes.extend_from_slice(body);
    stream.write_all(&bytes).await?;
    stream.flush().await
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(bytes: &[u8], max_bytes: usize) -> io::Result<Bytes> {
        FrameReader::new(bytes, max_bytes).next().await
    }

    #[tokio::test]
    async fn a_frame_arrives_as_it_was_sent_and_keeps_its_golden_bytes() {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, b"ants").await.expect("a vector takes everything");
        assert_eq!(bytes, [4, 0, 0, 0, 0xae, 0x0b, 0x7b, 0xb5, b'a', b'n', b't', b's']);
        assert_eq!(read(&bytes, 4).await.expect("it was just written").as_ref(), b"ants");
    }

    #[tokio::test]
    async fn a_long_a_torn_and_a_flipped_frame_are_refused() {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, b"ants").await.expect("a vector takes everything");
        let kind = |result: io::Result<Bytes>| result.expect_err("it must be refused").kind();
        assert_eq!(kind(read(&bytes, 3).await), io::ErrorKind::InvalidData);
        assert_eq!(kind(read(&bytes[..9], 4).await), io::ErrorKind::UnexpectedEof);
        bytes[9] ^= 1;
        assert_eq!(kind(read(&bytes, 4).await), io::ErrorKind::InvalidData);
    }
}
