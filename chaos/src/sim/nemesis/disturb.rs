//! Faults by others: who claims another's name, says what means nothing, says again what was said before, or wants another leader.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{sleep, timeout};

use super::One;
use crate::history::{HostileEnd, What};
use crate::random::Random;
use crate::sim::field::{HTTP_PORT, PATIENCE, RAFT_PORT};
use crate::sim::network::Host;

/// Who gets no answer to nonsense waits for so long.
const ANSWER_WITHIN: Duration = Duration::from_secs(1);

/// The longest nonsense.
const MOST_BYTES: u64 = 3_000;

impl One {
    /// Another forager comes with a name that is taken, and goes again.
    pub(super) async fn impose(&self) -> Option<String> {
        let impostor = &self.field.impostor;
        if !impostor.start() {
            return None;
        }
        sleep(self.fault.lasts).await;
        impostor.kill().then(|| format!("{} was there in its life {}", impostor.name, impostor.lives()))
    }

    /// Sends bytes that mean nothing.
    pub(super) async fn send_garbage(&self) -> Option<String> {
        let mut random = Random::new(self.fault.pick);
        let queen = self.field.any_queen(&mut random);
        let port = if random.percent(50) { RAFT_PORT } else { HTTP_PORT };
        let length = usize::try_from(1 + random.below(MOST_BYTES)).unwrap_or(1);
        let mut bytes: Vec<u8> = (0..length).map(|_| random.next().to_le_bytes()[0]).collect();
        if random.percent(50) {
            // What looks like the beginning of something.
            let begins: &[u8] = if port == HTTP_PORT { b"POST /v1/graphs HTTP/1.1\r\n" } else { &[0, 0, 0, 40, 1] };
            bytes.splice(0..0, begins.iter().copied());
        }
        let to = Host(queen).address(port);
        let end = self.say(&to, &bytes).await?;
        let (process, sent) = (format!("queen-{queen}"), format!("{} bytes that mean nothing, to {to}", bytes.len()));
        self.field.chronicle.pen(format!("stranger-{}", self.fault.number)).write(What::Hostile {
            to: process,
            sent,
            end,
        });
        Some(format!("{} bytes arrived", bytes.len()))
    }

    /// Says again what was said first on some connection.
    pub(super) async fn replay(&self) -> Option<String> {
        let (to, bytes) = self.field.fabric.overheard()?;
        self.say(&to, &bytes).await?;
        Some(format!("{} bytes were said again to {to}", bytes.len()))
    }

    /// Sends bytes to an address, and looks at what comes of it. Nothing if nobody is there.
    async fn say(&self, to: &str, bytes: &[u8]) -> Option<HostileEnd> {
        let mut stream = timeout(ANSWER_WITHIN, self.field.net.connect(to)).await.ok()?.ok()?;
        stream.write_all(bytes).await.ok()?;
        let mut answer = [0; 64];
        let end = match timeout(ANSWER_WITHIN, stream.read(&mut answer)).await {
            Ok(Ok(read)) if answer[..read].starts_with(b"HTTP/1.1 2") => HostileEnd::Accepted,
            Ok(Ok(read)) if read > 0 => HostileEnd::Refused,
            Ok(Ok(_) | Err(_)) | Err(_) => HostileEnd::Ignored,
        };
        Some(end)
    }

    /// Asks the leader to hand over.
    pub(super) async fn transfer(&self) -> Option<String> {
        let to = self.field.client(&self.field.queen_ids(), PATIENCE).transfer(None).await.ok()?;
        Some(format!("queen-{to} took over"))
    }
}
