//! The end of a forager: drained, stopped, or because it cannot write.

use std::time::Duration;

use antfarm_model::EffectClass;
use antfarm_protocol::AttemptRef;
use antfarm_storage::StorageError;

use crate::executor::{Happening, Stop, StopCause};
use crate::foreman::holdings::Running;
use crate::foreman::{Foreman, Inboxes, Order};
use crate::keeper::Keeper;
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
    /// It ends when nothing runs but what the keeper has, and leaves that to the next process.
    HandingOver,
}

impl Phase {
    pub(super) fn is_draining(self) -> bool {
        self != Self::Working
    }

    pub(super) fn due_in(self, monotonic: Duration) -> Option<Duration> {
        match self {
            Self::Draining { give_up_at: Some(at) } => Some(at.saturating_sub(monotonic)),
            Self::Draining { give_up_at: None } | Self::Working | Self::Stopping | Self::HandingOver => None,
        }
    }
}

impl Foreman {
    pub(super) fn obey(&mut self, order: Order) -> Result<(), StorageError> {
        let grace = self.parts.config.kill_grace.to_std();
        match (order, self.phase) {
            (Order::Drain, Phase::Working) => self.phase = Phase::Draining { give_up_at: None },
            (Order::HandOver, Phase::Working | Phase::Draining { .. }) => {
                self.phase = Phase::HandingOver;
                self.stop_all(grace, |running| !running.is_kept());
            }
            (Order::Stop, Phase::Working | Phase::Draining { .. } | Phase::HandingOver) => {
                self.phase = Phase::Stopping;
                self.stop_all(grace, |_| true);
            }
            (Order::Drain | Order::HandOver, Phase::HandingOver | Phase::Stopping)
            | (Order::Drain, Phase::Draining { .. })
            | (Order::Stop, Phase::Stopping) => return Ok(()),
        }
        self.hand_back()?;
        if let Some(leader) = self.parts.sessions.leader() {
            self.greet(leader);
        }
        Ok(())
    }

    /// Whether there is nothing left to do.
    pub(super) fn is_finished(&mut self) -> bool {
        if self.phase == Phase::HandingOver {
            return self.parts.holdings.unkept_count() == 0;
        }
        if self.parts.holdings.running_count() > 0 {
            return false;
        }
        match &mut self.phase {
            Phase::Working | Phase::HandingOver => false,
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
        self.stop_all(Duration::ZERO, |_| true);
        let all_ended = async {
            while self.parts.holdings.running_count() > 0 {
                match inboxes.happenings.recv().await {
                    Some((attempt, Happening::Ended { .. })) => drop(self.parts.holdings.finish(&attempt)),
                    Some((_, Happening::Process(_) | Happening::Log { .. })) => {}
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

    /// The keeper, if it ends with this process: unless that leaves work to the next.
    pub(super) fn keeper_to_end(&self) -> Option<Keeper> {
        (self.phase != Phase::HandingOver).then(|| self.parts.around.keeper.clone())
    }

    fn stop_all(&mut self, grace: Duration, which: impl Fn(&Running) -> bool) {
        for (_, running) in self.parts.holdings.all_running_mut().filter(|(_, running)| which(running)) {
            running.stop(Stop { grace, cause: StopCause::Interrupted });
        }
    }
}
