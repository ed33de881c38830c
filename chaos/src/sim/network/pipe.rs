//! One direction of a connection.

use std::collections::VecDeque;
use std::io;
use std::task::Waker;

use bytes::Bytes;
use tokio::time::Instant;

use super::Host;

/// Bytes on their way; a writer waits when there are more.
const MAX_BYTES: usize = 256 << 10;

/// One direction of a connection.
#[expect(clippy::struct_excessive_bools, reason = "each of its ends can go by itself, and each in more than one way")]
#[derive(Debug)]
pub(super) struct Pipe {
    pub(super) from: Host,
    pub(super) to: Host,
    /// The other direction.
    pub(super) twin: u64,
    pub(super) chunks: VecDeque<Chunk>,
    bytes: usize,
    /// Nothing arrives before what was sent before it.
    pub(super) last_at: Option<Instant>,
    pub(super) reader: Option<Waker>,
    writer: Option<Waker>,
    pub(super) reader_gone: bool,
    pub(super) writer_gone: bool,
    /// The connection was broken.
    pub(super) reset: bool,
    /// One of its machines has lost its power, and says nothing about it.
    pub(super) silent: bool,
    /// Something was sent since, and nobody was there to hear it.
    pub(super) unheard: bool,
}

/// Something on its way.
#[derive(Debug)]
pub(super) struct Chunk {
    /// When it arrives; nobody knows as long as the link is cut.
    pub(super) at: Option<Instant>,
    /// No bytes are the end.
    bytes: Bytes,
}

/// What there is to read.
pub(super) enum Next {
    Bytes(usize),
    End,
    /// Nothing before that.
    At(Instant),
    Nothing,
}

impl Pipe {
    pub(super) fn new(from: Host, to: Host, twin: u64) -> Self {
        Self {
            from,
            to,
            twin,
            chunks: VecDeque::new(),
            bytes: 0,
            last_at: None,
            reader: None,
            writer: None,
            reader_gone: false,
            writer_gone: false,
            reset: false,
            silent: false,
            unheard: false,
        }
    }

    /// How much of that can be sent now.
    pub(super) fn room(&self, wanted: usize) -> usize {
        wanted.min(MAX_BYTES.saturating_sub(self.bytes))
    }

    /// Whether something was sent that nobody has acknowledged.
    pub(super) fn is_owed_an_answer(&self) -> bool {
        self.unheard || !self.chunks.is_empty()
    }

    pub(super) fn wait_for_room(&mut self, waker: &Waker) {
        self.writer = Some(waker.clone());
    }

    pub(super) fn send(&mut self, bytes: Bytes, at: Option<Instant>) {
        self.bytes += bytes.len();
        self.last_at = at.or(self.last_at);
        self.chunks.push_back(Chunk { at, bytes });
        self.wake_reader();
    }

    /// Fills a buffer with what has arrived.
    pub(super) fn read(&mut self, now: Instant, mut take: impl FnMut(&[u8]) -> usize) -> io::Result<Next> {
        if self.reset {
            return Err(io::ErrorKind::ConnectionReset.into());
        }
        let mut taken = 0;
        while let Some(chunk) = self.chunks.front_mut() {
            match chunk.at {
                Some(at) if at <= now => {}
                _ if taken > 0 => break,
                Some(at) => return Ok(Next::At(at)),
                None => return Ok(Next::Nothing),
            }
            if chunk.bytes.is_empty() {
                return Ok(if taken > 0 { Next::Bytes(taken) } else { Next::End });
            }
            let some = take(&chunk.bytes);
            taken += some;
            if some < chunk.bytes.len() {
                drop(chunk.bytes.split_to(some));
                break;
            }
            self.chunks.pop_front();
        }
        if taken == 0 {
            return Ok(Next::Nothing);
        }
        self.bytes -= taken;
        self.wake_writer();
        Ok(Next::Bytes(taken))
    }

    pub(super) fn wake_reader(&mut self) {
        self.reader.take().into_iter().for_each(Waker::wake);
    }

    pub(super) fn wake_writer(&mut self) {
        self.writer.take().into_iter().for_each(Waker::wake);
    }
}
