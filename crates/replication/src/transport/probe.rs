//! The one question that a leader's silence cannot answer: does anybody take connections at its address, and who?

use std::io;
use std::time::Duration;

use antfarm_model::MemberId;
use tokio::time::timeout;

use crate::codec::{self, Kind};
use crate::transport::frame::write_frame;
use crate::transport::hello::{self, HandshakeError};
use crate::transport::peers::Context;
use crate::transport::wire::{Purpose, Request, Response};

/// A process that lives answers within this time, or nothing is known of it.
const WITHIN: Duration = Duration::from_millis(100);

/// What a new connection to a member tells about its leadership of a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Finding {
    /// The address refuses connections, or resets them.
    Refused,
    /// The member answers from a new life of its process, which cannot lead in that term: that leadership is over.
    NewLife,
    /// It answers, and may lead.
    Alive,
    /// The connection ended, or stood still, without either; a moment later more may be known.
    Nothing,
    /// Nothing follows from what was found, and nothing will.
    Unclear,
}

/// Connects to a member that led in `term`.
pub(crate) async fn probe(context: &Context, member: MemberId, address: &str, term: u64) -> Finding {
    match timeout(WITHIN, ask(context, member, address)).await {
        Ok(Ok(began_after)) if began_after >= term => Finding::NewLife,
        Ok(Ok(_)) => Finding::Alive,
        Ok(Err(HandshakeError::Io(error))) => read(error.kind()),
        Ok(Err(HandshakeError::RefusedByPeer(_) | HandshakeError::Refused(_))) => Finding::Unclear,
        Err(_) => Finding::Nothing,
    }
}

/// Refused or reset, and nothing else, says that nobody is there.
fn read(kind: io::ErrorKind) -> Finding {
    if matches!(kind, io::ErrorKind::ConnectionRefused | io::ErrorKind::ConnectionReset) {
        Finding::Refused
    } else if matches!(kind, io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe) {
        Finding::Nothing
    } else {
        Finding::Unclear
    }
}

/// The term that was in the member's vote when the life of its process began.
async fn ask(context: &Context, member: MemberId, address: &str) -> Result<u64, HandshakeError> {
    let stream = context.net.connect(address).await?;
    let greeted = hello::greet(stream, member, Purpose::Probe, &context.identity, &context.disks, context.frame_bytes);
    let mut connection = greeted.await?;
    write_frame(&mut connection.writer, &codec::encode(Kind::Request, &Request::Life)).await?;
    match codec::decode(Kind::Response, &connection.reader.next().await?) {
        Ok(Response::Life(life)) => Ok(life.began_after_term),
        Ok(_) | Err(_) => Err(io::Error::from(io::ErrorKind::InvalidData).into()),
    }
}
