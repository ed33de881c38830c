//! The handshake: both ends say who they are and with which disk, before anything else is read.

use std::io;
use std::time::Duration;

use antfarm_env::Stream;
use antfarm_model::{MemberId, Name};
use serde::{Deserialize, Serialize};
use tokio::io::{ReadHalf, WriteHalf};

use crate::codec::{self, Kind};
use crate::identity::{DiskRefused, Identity, PeerDisks};
use crate::transport::frame::{FrameReader, write_frame};
use crate::transport::wire::Purpose;

const MAGIC: [u8; 8] = *b"ANTFQUEN";

/// The newest protocol version.
const PROTOCOL: u16 = 1;

/// No honest greeting is longer.
const MAX_BYTES: usize = 4 << 10;

/// A handshake that takes longer is given up.
pub(super) const TIMEOUT: Duration = Duration::from_secs(2);

/// In place of a member id: whoever is at that address.
pub(super) const ANYBODY: MemberId = MemberId(0);

/// The two directions of a connection whose ends know each other.
pub(super) struct Connection {
    pub(super) reader: FrameReader<ReadHalf<Stream>>,
    pub(super) writer: WriteHalf<Stream>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct HelloV1 {
    magic: [u8; 8],
    protocol: u16,
    cluster: Name,
    from: MemberId,
    to: MemberId,
    disk: u64,
    purpose: Purpose,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum WelcomeV1 {
    Welcome { member: MemberId, disk: u64 },
    Refused(Refusal),
}

/// Why an end does not talk to the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("it belongs to cluster {theirs}, this one to {ours}")]
    OtherCluster { ours: Name, theirs: Name },
    #[error("at this address is member {ours}, not member {asked}")]
    OtherMember { ours: MemberId, asked: MemberId },
    #[error("member {0} came back with another disk; remove it and add it under a new member id")]
    OtherDisk(MemberId),
    #[error("it speaks protocol version {theirs}, this one {ours}")]
    OtherProtocol { ours: u16, theirs: u16 },
    #[error("it cannot note a disk now")]
    Busy,
    #[error("member {0} was removed from the cluster, and its id is never used again")]
    Removed(MemberId),
}

impl Refusal {
    /// Whether it says that the refused one does not belong here, as it is now.
    pub(super) fn is_final(&self) -> bool {
        match self {
            Self::OtherCluster { .. } | Self::OtherDisk(_) | Self::Removed(_) => true,
            Self::OtherMember { .. } | Self::OtherProtocol { .. } | Self::Busy => false,
        }
    }
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub(super) enum HandshakeError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("the other end refuses this one: {0}")]
    RefusedByPeer(Refusal),
    #[error("this end refuses the other: {0}")]
    Refused(Refusal),
}

/// Greets whoever accepted the stream, who should be member `to`, if it must not be [`ANYBODY`].
pub(super) async fn greet(
    stream: Stream,
    to: MemberId,
    purpose: Purpose,
    identity: &Identity,
    disks: &PeerDisks,
    max_frame_bytes: usize,
) -> Result<Connection, HandshakeError> {
    let (reader, mut writer) = tokio::io::split(stream);
    let mut reader = FrameReader::new(reader, MAX_BYTES);
    let hello = HelloV1 {
        magic: MAGIC,
        protocol: PROTOCOL,
        cluster: identity.cluster.clone(),
        from: identity.member,
        to,
        disk: identity.disk,
        purpose,
    };
    write_frame(&mut writer, &codec::encode(Kind::Hello, &hello)).await?;
    match codec::decode(Kind::Welcome, &reader.next().await?).map_err(invalid)? {
        WelcomeV1::Refused(refusal) => Err(HandshakeError::RefusedByPeer(refusal)),
        WelcomeV1::Welcome { member, disk } => {
            if to != ANYBODY && member != to {
                return Err(HandshakeError::Refused(Refusal::OtherMember { ours: member, asked: to }));
            }
            disks.check(member, disk).await.map_err(|refused| HandshakeError::Refused(refusal(&refused)))?;
            reader.allow(max_frame_bytes);
            Ok(Connection { reader, writer })
        }
    }
}

/// Waits for the greeting on an accepted stream, and answers it.
pub(super) async fn receive(
    stream: Stream,
    identity: &Identity,
    disks: &PeerDisks,
    max_frame_bytes: usize,
) -> Result<(MemberId, Purpose, Connection), HandshakeError> {
    let (reader, mut writer) = tokio::io::split(stream);
    let mut reader = FrameReader::new(reader, MAX_BYTES);
    let hello: HelloV1 = codec::decode(Kind::Hello, &reader.next().await?).map_err(invalid)?;
    if hello.magic != MAGIC {
        return Err(invalid(io::Error::from(io::ErrorKind::InvalidData)).into());
    }
    let answer = match judge(&hello, identity, disks).await {
        Ok(()) => WelcomeV1::Welcome { member: identity.member, disk: identity.disk },
        Err(refusal) => WelcomeV1::Refused(refusal),
    };
    write_frame(&mut writer, &codec::encode(Kind::Welcome, &answer)).await?;
    if let WelcomeV1::Refused(refusal) = answer {
        return Err(HandshakeError::Refused(refusal));
    }
    reader.allow(max_frame_bytes);
    Ok((hello.from, hello.purpose, Connection { reader, writer }))
}

async fn judge(hello: &HelloV1, identity: &Identity, disks: &PeerDisks) -> Result<(), Refusal> {
    if hello.protocol != PROTOCOL {
        return Err(Refusal::OtherProtocol { ours: PROTOCOL, theirs: hello.protocol });
    }
    if hello.cluster != identity.cluster {
        return Err(Refusal::OtherCluster { ours: identity.cluster.clone(), theirs: hello.cluster.clone() });
    }
    if hello.to != ANYBODY && hello.to != identity.member {
        return Err(Refusal::OtherMember { ours: identity.member, asked: hello.to });
    }
    if hello.from == identity.member {
        return Err(Refusal::OtherDisk(hello.from)); // nobody talks to itself
    }
    disks.check(hello.from, hello.disk).await.map_err(|refused| refusal(&refused))
}

fn refusal(refused: &DiskRefused) -> Refusal {
    match refused {
        DiskRefused::Changed(member) => Refusal::OtherDisk(*member),
        DiskRefused::Removed(member) => Refusal::Removed(*member),
        DiskRefused::Unreadable(_) | DiskRefused::TooMany | DiskRefused::Storage(_) => Refusal::Busy,
    }
}

fn invalid(error: impl std::error::Error + Send + Sync + 'static) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn hex(bytes: &[u8]) -> String {
        let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        hex.join(" ")
    }

    #[test]
    fn greetings_keep_their_golden_bytes() {
        let cluster = Name::new("ants").expect("it is a name");
        let hello = HelloV1 {
            magic: MAGIC,
            protocol: PROTOCOL,
            cluster,
            from: MemberId(1),
            to: MemberId(2),
            disk: 300,
            purpose: Purpose::Append,
        };
        expect!["10 01 00 41 4e 54 46 51 55 45 4e 01 04 61 6e 74 73 01 02 fb 2c 01 02"]
            .assert_eq(&hex(&codec::encode(Kind::Hello, &hello)));
        let welcome = WelcomeV1::Welcome { member: MemberId(2), disk: 7 };
        expect!["11 01 00 00 02 07"].assert_eq(&hex(&codec::encode(Kind::Welcome, &welcome)));
        let refused = WelcomeV1::Refused(Refusal::OtherDisk(MemberId(1)));
        expect!["11 01 00 01 02 01"].assert_eq(&hex(&codec::encode(Kind::Welcome, &refused)));
        let removed = WelcomeV1::Refused(Refusal::Removed(MemberId(1)));
        expect!["11 01 00 01 05 01"].assert_eq(&hex(&codec::encode(Kind::Welcome, &removed)));
    }
}
