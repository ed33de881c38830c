//! A connection between forager and keeper: frames in, frames out, and neither waits for the other.

use std::collections::VecDeque;

use antfarm_env::{ByteStream, Env};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::sync::mpsc;

use crate::keeper::frame::{FrameError, encode, read};

/// Messages that have arrived and wait to be taken.
const INCOMING: usize = 64;

/// Frames that wait to be written.
const OUTGOING: usize = 64;

/// So much is read at a time, as far as it is there.
const READ_BYTES: usize = 64 << 10;

/// One end of a connection. It ends when this is dropped, after what waits has been written.
#[derive(Debug)]
pub(super) struct Mail<In> {
    incoming: mpsc::Receiver<In>,
    outgoing: mpsc::Sender<Vec<u8>>,
    /// What waits for room in `outgoing`: as much as there are attempts, nearly, since neither side repeats itself.
    outbox: VecDeque<Vec<u8>>,
}

impl<In: DeserializeOwned + Send + 'static> Mail<In> {
    pub(super) fn open(env: &Env, stream: impl ByteStream) -> Self {
        let (read_half, mut write_half) = tokio::io::split(stream);
        let mut read_half = BufReader::with_capacity(READ_BYTES, read_half);
        let (arrived, incoming) = mpsc::channel(INCOMING);
        let (outgoing, mut to_write) = mpsc::channel::<Vec<u8>>(OUTGOING);
        env.spawn(async move {
            loop {
                let message = tokio::select! {
                    message = read(&mut read_half) => message,
                    () = arrived.closed() => return,
                };
                match message {
                    Ok(Some(message)) => {
                        if arrived.send(message).await.is_err() {
                            return;
                        }
                    }
                    Ok(None) => return,
                    Err(error) => return tracing::warn!(%error, "a connection between forager and keeper broke"),
                }
            }
        });
        env.spawn(async move {
            let mut frames = Vec::new();
            while to_write.recv_many(&mut frames, OUTGOING).await > 0 {
                if write_half.write_all(&frames.concat()).await.is_err() {
                    return; // the other side is gone, which the reader tells
                }
                frames.clear();
            }
        });
        Self { incoming, outgoing, outbox: VecDeque::new() }
    }

    /// Says something as soon as there is room.
    pub(super) fn tell(&mut self, message: &impl Serialize) -> Result<(), FrameError> {
        self.outbox.push_back(encode(message)?);
        Ok(())
    }

    /// The next message, while what is to be said goes out; none when the connection has ended.
    ///
    /// Nothing is lost when the future is dropped.
    pub(super) async fn next(&mut self) -> Option<In> {
        loop {
            tokio::select! {
                biased;
                message = self.incoming.recv() => return message,
                permit = self.outgoing.reserve(), if !self.outbox.is_empty() => match (permit, self.outbox.pop_front()) {
                    (Ok(permit), Some(frame)) => permit.send(frame),
                    (Ok(_), None) => {}
                    (Err(_), _) => self.outbox.clear(), // nobody writes any more: the end arrives next
                },
            }
        }
    }
}
