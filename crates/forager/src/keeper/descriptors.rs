//! Descriptors that go along with what a keeper tells a sentry.

use std::collections::VecDeque;
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};

/// So many go along with one message: the program's standard output and standard error.
pub(super) const DESCRIPTORS: usize = 2;

/// Sends the beginning of a frame, and descriptors with it; says how much was sent. They are copied: the caller may close
/// its own afterwards.
pub(super) fn send_with(
    socket: impl AsFd,
    frame: &[u8],
    descriptors: [BorrowedFd<'_>; DESCRIPTORS],
) -> io::Result<usize> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut along = SendAncillaryBuffer::new(&mut space);
    assert!(along.push(SendAncillaryMessage::ScmRights(&descriptors)), "there is space for them");
    Ok(sendmsg(socket, &[IoSlice::new(frame)], &mut along, SendFlags::NOSIGNAL)?)
}

/// A sentry's end of the connection.
pub(super) struct Control {
    stream: UnixStream,
    /// What came along, in order.
    came: VecDeque<OwnedFd>,
    /// Whether to read is to wait.
    flags: RecvFlags,
}

impl Control {
    pub(super) fn new(stream: UnixStream) -> Self {
        Self { stream, came: VecDeque::new(), flags: RecvFlags::CMSG_CLOEXEC }
    }

    /// The descriptors that came along with the frame that was read last.
    pub(super) fn descriptors(&mut self) -> Option<[OwnedFd; DESCRIPTORS]> {
        let came: Vec<OwnedFd> = self.came.drain(..).collect();
        came.try_into().ok()
    }

    /// From now on to read is to wait, or to be told that nothing is there.
    pub(super) fn wait_when_reading(&mut self, waits: bool) {
        self.flags.set(RecvFlags::DONTWAIT, !waits);
    }
}

impl Read for Control {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
        let mut along = RecvAncillaryBuffer::new(&mut space);
        let received = recvmsg(&self.stream, &mut [IoSliceMut::new(buffer)], &mut along, self.flags)?;
        for message in along.drain() {
            if let RecvAncillaryMessage::ScmRights(descriptors) = message {
                self.came.extend(descriptors);
            }
        }
        Ok(received.bytes)
    }
}

impl Write for Control {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

impl AsFd for Control {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_arrive_with_the_bytes_they_were_sent_with() {
        let (ours, theirs) = UnixStream::pair().expect("a pair of sockets");
        let (mut reads, writes) = io::pipe().expect("a pipe");
        let sent = send_with(&ours, b"take these", [writes.as_fd(), writes.as_fd()]).expect("there is room");
        drop(writes);
        let mut control = Control::new(theirs);
        let mut bytes = [0; 32];
        assert_eq!(control.read(&mut bytes).expect("something came"), sent);
        for descriptor in control.descriptors().expect("two came along") {
            std::fs::File::from(descriptor).write_all(b"!").expect("it is the pipe");
        }
        let mut written = String::new();
        reads.read_to_string(&mut written).expect("nobody else has the other end");
        assert_eq!(written, "!!");
        assert!(control.descriptors().is_none(), "they are given once");
    }
}
