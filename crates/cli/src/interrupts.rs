//! Ctrl-C and SIGTERM, counted: the first asks for an end, the second for one at once.

use anyhow::Context;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// How often the user asked for an end. A clone counts the same.
#[derive(Clone)]
pub(crate) struct Interrupts(watch::Receiver<u32>);

impl Interrupts {
    /// Counts from now on; the signals no longer end this process by themselves.
    pub(crate) fn listen() -> anyhow::Result<Self> {
        let handled = "the signals SIGINT and SIGTERM cannot be handled";
        let mut interrupt = signal(SignalKind::interrupt()).context(handled)?;
        let mut terminate = signal(SignalKind::terminate()).context(handled)?;
        let (sender, receiver) = watch::channel(0);
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
                sender.send_modify(|count| *count += 1);
            }
        });
        Ok(Self(receiver))
    }

    /// Waits until the user asked `count` times.
    pub(crate) fn reach(&self, count: u32) -> impl Future<Output = ()> + Send + use<> {
        let mut receiver = self.0.clone();
        async move {
            if receiver.wait_for(|now| *now >= count).await.is_err() {
                std::future::pending::<()>().await; // the runtime is going down, and nobody asks any more
            }
        }
    }
}
