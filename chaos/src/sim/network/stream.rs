//! One end of a connection.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep_until};

use super::fabric::Fabric;
use super::pipe::Next;

/// One end of a connection. Dropped, it is closed.
pub(super) struct End {
    fabric: Fabric,
    incoming: u64,
    outgoing: u64,
    /// When the next bytes arrive.
    arrival: Option<Pin<Box<Sleep>>>,
}

impl End {
    pub(super) fn new(fabric: Fabric, incoming: u64, outgoing: u64) -> Self {
        Self { fabric, incoming, outgoing, arrival: None }
    }
}

impl AsyncRead for End {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            match self.fabric.read(self.incoming, context.waker(), buffer)? {
                Next::Bytes(_) | Next::End => {
                    self.arrival = None;
                    return Poll::Ready(Ok(()));
                }
                Next::Nothing => {
                    self.arrival = None;
                    return Poll::Pending;
                }
                Next::At(at) => {
                    let arrival = self.arrival.get_or_insert_with(|| Box::pin(sleep_until(at)));
                    if arrival.deadline() != at {
                        arrival.as_mut().reset(at);
                    }
                    ready!(arrival.as_mut().poll(context));
                    self.arrival = None;
                }
            }
        }
    }
}

impl AsyncWrite for End {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.fabric.write(self.outgoing, context.waker(), bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.fabric.end(self.outgoing);
        Poll::Ready(Ok(()))
    }
}

impl Drop for End {
    fn drop(&mut self) {
        self.fabric.end(self.outgoing);
        self.fabric.leave(self.incoming);
    }
}
