//! When work of an epoch first arrived at a forager, as its log tells, read through a pipe from outside.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::time::Duration;

use antfarm_env::SystemClocks;
use anyhow::Context;
use tokio::process::ChildStderr;
use tokio::sync::mpsc;

/// What a forager's log says at its first assignment of an epoch.
const SAID: &str = "the first assignment of an epoch";

/// Sightings that may wait to be looked at: many more than foragers see between two faults.
const MOST: usize = 4_096;

/// The first assignment of an epoch arrived at some forager.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sighting {
    pub(super) epoch: u64,
    /// On `CLOCK_MONOTONIC`.
    pub(super) at: Duration,
}

/// Where sightings of all foragers come out.
pub(super) struct Sightings {
    sender: mpsc::Sender<Sighting>,
    receiver: mpsc::Receiver<Sighting>,
}

impl Sightings {
    pub(super) fn new() -> Self {
        let (sender, receiver) = mpsc::channel(MOST);
        Self { sender, receiver }
    }

    /// Reads a forager's log from now on, on a thread of its own, and keeps it in a file.
    pub(super) fn watch(&self, log: ChildStderr, kept: &Path) -> anyhow::Result<()> {
        let log = File::from(log.into_owned_fd().context("a pipe can be taken over")?);
        let mut kept = File::create(kept).with_context(|| format!("{} cannot be written", kept.display()))?;
        let sender = self.sender.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(log).lines().map_while(Result::ok) {
                let at = SystemClocks::monotonic();
                if let Some(epoch) = epoch(&line)
                    && sender.blocking_send(Sighting { epoch, at }).is_err()
                {
                    return;
                }
                let _ = writeln!(kept, "{line}"); // it is for people who look for what went wrong
            }
        });
        Ok(())
    }

    /// Waits for the first sighting of a higher epoch than this.
    pub(super) async fn above(&mut self, epoch: u64) -> anyhow::Result<Sighting> {
        loop {
            let sighting = self.receiver.recv().await.context("its sender is here")?;
            if sighting.epoch > epoch {
                return Ok(sighting);
            }
        }
    }
}

/// The epoch in a line about a first assignment.
fn epoch(line: &str) -> Option<u64> {
    let (_, fields) = line.split_once(SAID)?;
    fields.split_once("epoch=")?.1.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_line_about_a_first_assignment_is_a_sighting() {
        let line = "2026-11-30T16:00:00.000000Z  INFO antfarm_forager::foreman::hear: the first assignment of an epoch epoch=7";
        assert_eq!(epoch(line), Some(7));
        assert_eq!(
            epoch("2026-11-30T16:00:00.000000Z  INFO antfarm_forager::foreman::hear: a new leader epoch=7"),
            None
        );
    }
}
