//! Ctrl-C and SIGTERM, counted: the first asks for an end, the second for one at once.

use anyhow::Context;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::console::Console;

/// What the process ends with after Ctrl-C, as shells have it.
const INTERRUPTED: i32 = 130;

/// Waits for something that goes on without this process, unless the user presses Ctrl-C: then the process ends with these
/// words, so that nobody takes the end of the wait for the end of the thing.
pub(crate) async fn unless_interrupted<T>(console: &Console, words: &str, wait: impl Future<Output = T>) -> T {
    tokio::select! {
        end = wait => end,
        Ok(()) = tokio::signal::ctrl_c() => {
            console.end_progress();
            console.tell(words);
            std::process::exit(INTERRUPTED)
        }
    }
}

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
