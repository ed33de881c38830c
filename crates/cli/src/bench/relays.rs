//! Relays before the queens' peer ports, which lose what one queen and the others say to each other when they are told to:
//! connections stay open and stand still, as over a network that swallows packets.

use std::io;
use std::sync::Arc;

use anyhow::Context;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Bytes that are passed on at once.
const PIECE_BYTES: usize = 64 << 10;

/// A greeting names its sender within so many bytes.
const MOST_OF_GREETING: usize = 4 << 10;

/// What of a greeting stands before the cluster's name: length and checksum of the frame, kind and version of what is in
/// it, the magic number, and the protocol's version, which is still a small number.
const BEFORE_NAME: usize = 8 + 3 + 8 + 1;

/// The relays of a cluster. Dropping it ends all connections through them.
pub(super) struct Relays {
    isolated: watch::Sender<Option<u64>>,
    _tasks: JoinSet<()>,
}

impl Relays {
    /// Relays from each first address to the second; the members count from 1.
    pub(super) async fn start(addresses: &[(String, String)]) -> anyhow::Result<Self> {
        let isolated = watch::Sender::new(None);
        let mut tasks = JoinSet::new();
        for (member, (reached, listens)) in (1..).zip(addresses) {
            let listener =
                TcpListener::bind(reached).await.with_context(|| format!("{reached} cannot be listened at"))?;
            tasks.spawn(relay(listener, member, listens.clone(), isolated.subscribe()));
        }
        Ok(Self { isolated, _tasks: tasks })
    }

    /// From now on, this member and the others hear nothing of each other; with nobody, all hear all.
    pub(super) fn isolate(&self, member: Option<u64>) {
        self.isolated.send_replace(member);
    }
}

async fn relay(listener: TcpListener, member: u64, listens: String, isolated: watch::Receiver<Option<u64>>) {
    let listens: Arc<str> = listens.into();
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        while connections.try_join_next().is_some() {}
        let (listens, isolated) = (listens.clone(), isolated.clone());
        connections.spawn(async move {
            let _ = carry(stream, member, &listens, isolated).await; // an end that is gone is gone for the other
        });
    }
}

/// Carries a connection until either side ends it.
async fn carry(mut from: TcpStream, to: u64, listens: &str, isolated: watch::Receiver<Option<u64>>) -> io::Result<()> {
    from.set_nodelay(true)?;
    let mut greeting = Vec::new();
    let sender = loop {
        if from.read_buf(&mut greeting).await? == 0 || greeting.len() > MOST_OF_GREETING {
            return Ok(());
        }
        if let Some(sender) = sender(&greeting) {
            break sender;
        }
    };
    let mut gate = Gate { between: [sender, to], isolated };
    gate.open().await;
    let mut queen = TcpStream::connect(listens).await?;
    queen.set_nodelay(true)?;
    queen.write_all(&greeting).await?;
    let (their_gate, (from_reads, from_writes), (queen_reads, queen_writes)) =
        (gate.clone(), from.split(), queen.split());
    tokio::select! {
        ended = pump(from_reads, queen_writes, gate) => ended,
        ended = pump(queen_reads, from_writes, their_gate) => ended,
    }
}

async fn pump(
    mut reads: impl AsyncRead + Unpin,
    mut writes: impl AsyncWrite + Unpin,
    mut gate: Gate,
) -> io::Result<()> {
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let length = reads.read(&mut piece).await?;
        if length == 0 {
            return Ok(());
        }
        gate.open().await;
        writes.write_all(&piece[..length]).await?;
    }
}

/// Whether two members hear each other.
#[derive(Clone)]
struct Gate {
    between: [u64; 2],
    isolated: watch::Receiver<Option<u64>>,
}

impl Gate {
    /// Waits until they do; for ever, if the relays end.
    async fn open(&mut self) {
        let between = self.between;
        let hear_each_other = |isolated: &Option<u64>| isolated.is_none_or(|member| !between.contains(&member));
        let is_over = self.isolated.wait_for(hear_each_other).await.is_err();
        if is_over {
            std::future::pending::<()>().await;
        }
    }
}

/// The member that sends a greeting, as soon as it is named: one byte, for clusters as small as these.
fn sender(greeting: &[u8]) -> Option<u64> {
    let name_length = usize::from(*greeting.get(BEFORE_NAME)?);
    greeting.get(BEFORE_NAME + 1 + name_length).map(|member| u64::from(*member))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_greeting_names_its_sender_behind_the_cluster() {
        // The golden bytes of a greeting (`crates/replication/src/transport/hello.rs`), behind length and checksum.
        let body = [0x10, 1, 0, 0x41, 0x4e, 0x54, 0x46, 0x51, 0x55, 0x45, 0x4e, 1, 4, 0x61, 0x6e, 0x74, 0x73, 3, 2, 0];
        let greeting = [&[20, 0, 0, 0, 9, 9, 9, 9][..], &body].concat();
        assert_eq!(sender(&greeting), Some(3));
        assert_eq!(sender(&greeting[..25]), None, "not all of it is there");
    }
}
