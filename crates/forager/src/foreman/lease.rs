//! The right to run guarded attempts.

use std::time::Duration;

use antfarm_model::EffectClass;

use crate::executor::{Stop, StopCause};
use crate::foreman::Foreman;
use crate::keeper::{Due, Suspension};

/// What a kill may need beyond the grace: until the processes are gone.
const KILL_MARGIN: Duration = Duration::from_millis(100);

/// A lease, measured on the clock that counts suspension.
pub(super) struct Lease {
    /// Nothing guarded begins, and what runs is stopped, from here on.
    stop_at: Duration,
    /// How long what is stopped has.
    grace: Duration,
    suspension: Suspension,
}

impl Lease {
    /// The lease of the process before this one, under which the keeper goes on with what that left; none is [`Due::PAST`].
    pub(super) fn inherited(due: Due, boot_time: Duration, monotonic: Duration) -> Self {
        let grace = due.kill_at.saturating_sub(due.stop_at);
        Self { stop_at: due.stop_at, grace, suspension: Suspension::since(boot_time, monotonic) }
    }

    /// When the keeper has to end what is guarded.
    fn due(&self) -> Due {
        Due { stop_at: self.stop_at, kill_at: self.stop_at + self.grace }
    }

    /// A leader granted `length`, counted from `sent_at`. The kill begins early enough that everything is dead at the end.
    fn renew(&mut self, sent_at: Duration, length: Duration, kill_grace: Duration) {
        let grace = kill_grace.min(length / 4);
        let margin = KILL_MARGIN.min(length / 20);
        let stop_at = (sent_at + length).saturating_sub(grace + margin);
        if stop_at > self.stop_at {
            (self.stop_at, self.grace) = (stop_at, grace);
        }
    }

    /// Whether guarded attempts may run.
    pub(super) fn holds(&self, boot_time: Duration) -> bool {
        boot_time < self.stop_at
    }

    /// When what is guarded must be stopped; nothing if there is no lease.
    pub(super) fn stop_in(&self, boot_time: Duration) -> Option<Duration> {
        self.holds(boot_time).then(|| self.stop_at.saturating_sub(boot_time))
    }

    /// A process that was suspended has no lease any more.
    fn notice_suspension(&mut self, boot_time: Duration, monotonic: Duration) {
        if self.suspension.is_noticed(boot_time, monotonic) {
            (self.stop_at, self.grace) = (Duration::ZERO, Duration::ZERO);
        }
    }
}

impl Foreman {
    /// Takes a lease that counts from `sent_at`, and begins what waited for one.
    pub(super) fn renew_lease(
        &mut self,
        sent_at: Duration,
        lease_ms: u64,
    ) -> Result<(), antfarm_storage::StorageError> {
        self.lease.renew(sent_at, Duration::from_millis(lease_ms), self.parts.config.kill_grace.to_std());
        self.parts.around.keeper.lease_until(self.lease.due());
        self.begin_held()
    }

    /// Stops what is guarded when there is no lease any more.
    pub(super) fn watch_lease(&mut self) {
        let env = &self.parts.around.env;
        let boot_time = env.boot_time();
        self.lease.notice_suspension(boot_time, env.monotonic());
        self.parts.around.keeper.lease_until(self.lease.due());
        if self.lease.holds(boot_time) || !self.parts.holdings.runs_guarded() {
            return;
        }
        let stop = Stop { grace: self.lease.grace, cause: StopCause::Interrupted };
        for (attempt, running) in self.parts.holdings.all_running_mut() {
            if running.is_launched() && !running.is_stopping && running.effects == EffectClass::Guarded {
                tracing::warn!(%attempt, "stopped, because the lease is over");
                running.stop(stop);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn everything_is_stopped_in_time_to_be_dead_at_the_end() {
        let mut lease = Lease::inherited(Due::PAST, ms(500), ms(500));
        assert!(!lease.holds(ms(500)));
        lease.renew(ms(1_000), ms(10_000), ms(2_000));
        let last = 1_000 + 10_000 - 2_000 - 100;
        assert!(lease.holds(ms(last - 1)) && !lease.holds(ms(last)));
        assert_eq!((lease.stop_in(ms(1_000)), lease.grace), (Some(ms(last - 1_000)), ms(2_000)));
        assert_eq!(lease.stop_in(ms(last)), None);
    }

    #[test]
    fn an_answer_that_was_long_on_its_way_shortens_nothing_and_grants_nothing() {
        let mut lease = Lease::inherited(Due::PAST, ms(0), ms(0));
        lease.renew(ms(5_000), ms(1_000), ms(2_000));
        let stop_at = lease.stop_at;
        lease.renew(ms(4_000), ms(1_000), ms(2_000));
        assert_eq!(lease.stop_at, stop_at);
        assert_eq!(stop_at, ms(6_000 - 250 - 50), "a short lease keeps most of its length");
    }

    #[test]
    fn the_lease_of_a_former_process_is_gone_on_with_and_can_be_renewed() {
        let due = Due { stop_at: ms(900), kill_at: ms(1_000) };
        let mut lease = Lease::inherited(due, ms(500), ms(500));
        assert!(lease.holds(ms(899)) && !lease.holds(ms(900)));
        assert_eq!(lease.due(), due);
        lease.renew(ms(600), ms(10_000), ms(200));
        assert_eq!(lease.due(), Due { stop_at: ms(10_300), kill_at: ms(10_500) });
    }

    #[test]
    fn a_suspension_ends_the_lease() {
        let mut lease = Lease::inherited(Due::PAST, ms(100), ms(40));
        lease.renew(ms(100), ms(10_000), ms(0));
        lease.notice_suspension(ms(200), ms(140));
        assert!(lease.holds(ms(200)));
        lease.notice_suspension(ms(400), ms(240));
        assert!(!lease.holds(ms(400)));
    }
}
