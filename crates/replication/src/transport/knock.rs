//! A question of a member that wants to join: who is at this address, and does it take this member?

use std::io;
use std::time::Duration;

use tokio::time::timeout;

use crate::codec::{self, Kind};
use crate::transport::frame::write_frame;
use crate::transport::hello::{self, ANYBODY, HandshakeError, Refusal};
use crate::transport::peers::Context;
use crate::transport::wire::{Purpose, Request, Response};

/// How long an answer may take.
const WITHIN: Duration = Duration::from_secs(1);

/// What was found at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Door {
    /// A member of this cluster, which takes connections of this one.
    Open,
    /// A queen that does not want this one, as it is now.
    Shut(Refusal),
    /// Nobody, or nobody of this kind; a moment later it may be different.
    Nobody(String),
}

/// Connects to whoever is at an address.
pub(crate) async fn knock(context: &Context, address: &str) -> Door {
    match timeout(WITHIN, ask(context, address)).await {
        Ok(Ok(())) => Door::Open,
        Ok(Err(HandshakeError::RefusedByPeer(refusal))) if refusal.is_final() => Door::Shut(refusal),
        Ok(Err(error)) => Door::Nobody(error.to_string()),
        Err(_) => Door::Nobody("nobody answers".to_owned()),
    }
}

async fn ask(context: &Context, address: &str) -> Result<(), HandshakeError> {
    let stream = context.net.connect(address).await?;
    let greeted = hello::greet(stream, ANYBODY, Purpose::Probe, &context.identity, &context.disks, context.frame_bytes);
    let mut connection = greeted.await?;
    write_frame(&mut connection.writer, &codec::encode(Kind::Request, &Request::Status)).await?;
    match codec::decode(Kind::Response, &connection.reader.next().await?) {
        Ok(Response::Status(_)) => Ok(()),
        Ok(_) | Err(_) => Err(io::Error::from(io::ErrorKind::InvalidData).into()),
    }
}
