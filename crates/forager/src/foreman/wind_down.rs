//! The end of a forager: drained, stopped, or because it cannot write.

use std::time::Duration;

use antfarm_model::EffectClass;
use antfarm_protocol::AttemptRef;
use antfarm_storage::StorageError;

use crate::executor::{Happening, Stop};
use crate::foreman::holdings::StopCause;
use crate::foreman::{Foreman, Inboxes, Order};
use crate::report::Report;

/// A drained forager waits this long for its last ends to be confirmed. The journal keeps them in any case.
const CONFIRMED_WITHIN: Duration = Duration::from_secs(5);

/// A forager that cannot write kills what runs, and waits this long for its end.
const KILLED_WITHIN: Duration = Duration::from_secs(2);

/// How far the end is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// It takes work.
    Working,
    /// It finishes what runs; when nothing does, it waits for confirmations until then, on the monotonic clock.
    Draining { give_up_at: Option<Duration> },
    /// It ends when nothing runs.
    Stopping,
}

impl Phase {
    pub(super) fn is_draining(self) -> bool {
        self != Self::Working
    }

    pub(super) fn due_in(self, monotonic: Duration) -> Option<Duration> {
        match self {
            Self::Draining { give_up_at: Some(at) } => Some(at.saturating_sub(monotonic)),
            Self::Draining { give_up_at: None } | Self::Working | Self::Stopping => None,
        }
    }
}

impl Foreman {
    pub(super) fn obey(&mut self, order: Order) -> Result<(), StorageError> {
        match (order, self.phase) {
            (Order::Drain, Phase::Working) => self.phase = Phase::Draining { give_up_at: None },
            (Order::Drain, Phase::Draining { .. } | Phase::Stopping) | (Order::Stop, Phase::Stopping) => return Ok(()),
            (Order::Stop, Phase::Working | Phase::Draining { .. }) => {
                self.phase = Phase::Stopping;
                self.stop_all(Stop { grace: self.parts.config.kill_grace.to_std() });
            }
        }
        self.hand_back()?;
        if let Some(leader) = self.parts.sessions.leader() {
            self.greet(leader);
        }
        Ok(())
    }

    /// Whether there is nothing left to do.
    pub(super) fn is_finished(&mut self) -> bool {
        if self.parts.holdings.running_count() > 0 {
            return false;
        }
        match &mut self.phase {
            Phase::Working => false,
            Phase::Stopping => true,
            Phase::Draining { give_up_at } => {
                let now = self.parts.around.env.monotonic();
                let at = *give_up_at.get_or_insert(now + CONFIRMED_WITHIN);
                self.parts.holdings.ended_count() == 0 || now >= at
            }
        }
    }

    /// Kills what runs without writing down its end: the next process finds it started and reports it as interrupted.
    pub(super) async fn abandon(&mut self, inboxes: &mut Inboxes) {
        for attempt in std::mem::take(&mut self.starts) {
            self.parts.holdings.finish(&attempt);
        }
        self.stop_all(Stop { grace: Duration::ZERO });
        let all_ended = async {
            while self.parts.holdings.running_count() > 0 {
                match inboxes.happenings.recv().await {
                    Some((attempt, Happening::Ended(_))) => drop(self.parts.holdings.finish(&attempt)),
                    Some((_, Happening::Process(_))) => {}
                    None => break,
                }
            }
        };
        if tokio::time::timeout(KILLED_WITHIN, all_ended).await.is_err() {
            tracing::error!("some programs could not be killed in time");
        }
    }

    /// Returns what has not been started, what this turn was to start included.
    fn hand_back(&mut self) -> Result<(), StorageError> {
        let mut unstarted: Vec<AttemptRef> = self.parts.holdings.unstarted().map(|(attempt, _)| *attempt).collect();
        unstarted.append(&mut self.starts);
        for attempt in unstarted {
            self.parts.holdings.release(&attempt);
            self.parts.holdings.finish(&attempt);
            self.close(Report::returned(attempt), EffectClass::Pure)?;
        }
        Ok(())
    }

    fn stop_all(&mut self, stop: Stop) {
        for (_, running) in self.parts.holdings.all_running_mut() {
            running.stop(StopCause::Interrupted, stop);
        }
    }
}
