//! The right to run guarded attempts.

use std::time::Duration;

use antfarm_model::EffectClass;

use crate::executor::Stop;
use crate::foreman::Foreman;
use crate::foreman::holdings::StopCause;

/// What a kill may need beyond the grace: until the processes are gone.
const KILL_MARGIN: Duration = Duration::from_millis(100);

/// A boot-time clock that outruns the monotonic one by more than this was suspended.
const SUSPENSION: Duration = Duration::from_millis(50);

/// A lease, measured on the clock that counts suspension.
pub(super) struct Lease {
    /// Nothing guarded begins, and what runs is stopped, from here on.
    stop_at: Duration,
    /// How long what is stopped has.
    grace: Duration,
    /// By how much the boot-time clock was ahead of the monotonic one.
    ahead: Duration,
}

impl Lease {
    /// No lease, now.
    pub(super) fn none(boot_time: Duration, monotonic: Duration) -> Self {
        Self { stop_at: Duration::ZERO, grace: Duration::ZERO, ahead: boot_time.saturating_sub(monotonic) }
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
        let ahead = boot_time.saturating_sub(monotonic);
        if ahead > self.ahead + SUSPENSION {
            self.stop_at = Duration::ZERO;
        }
        self.ahead = ahead;
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
        self.begin_held()
    }

    /// Stops what is guarded when there is no lease any more.
    pub(super) fn watch_lease(&mut self) {
        let env = &self.parts.around.env;
        let boot_time = env.boot_time();
        self.lease.notice_suspension(boot_time, env.monotonic());
        if self.lease.holds(boot_time) || !self.parts.holdings.runs_guarded() {
            return;
        }
        let stop = Stop { grace: self.lease.grace };
        for (attempt, running) in self.parts.holdings.all_running_mut() {
            let runs = running.is_launched() && running.stopping.is_none();
            if runs && running.assign.effects == EffectClass::Guarded {
                tracing::warn!(%attempt, "stopped, because the lease is over");
                running.stop(StopCause::Interrupted, stop);
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
        let mut lease = Lease::none(ms(500), ms(500));
        assert!(!lease.holds(ms(500)));
        lease.renew(ms(1_000), ms(10_000), ms(2_000));
        let last = 1_000 + 10_000 - 2_000 - 100;
        assert!(lease.holds(ms(last - 1)) && !lease.holds(ms(last)));
        assert_eq!((lease.stop_in(ms(1_000)), lease.grace), (Some(ms(last - 1_000)), ms(2_000)));
        assert_eq!(lease.stop_in(ms(last)), None);
    }

    #[test]
    fn an_answer_that_was_long_on_its_way_shortens_nothing_and_grants_nothing() {
        let mut lease = Lease::none(ms(0), ms(0));
        lease.renew(ms(5_000), ms(1_000), ms(2_000));
        let stop_at = lease.stop_at;
        lease.renew(ms(4_000), ms(1_000), ms(2_000));
        assert_eq!(lease.stop_at, stop_at);
        assert_eq!(stop_at, ms(6_000 - 250 - 50), "a short lease keeps most of its length");
    }

    #[test]
    fn a_suspension_ends_the_lease() {
        let mut lease = Lease::none(ms(100), ms(40));
        lease.renew(ms(100), ms(10_000), ms(0));
        lease.notice_suspension(ms(200), ms(140));
        assert!(lease.holds(ms(200)));
        lease.notice_suspension(ms(400), ms(240));
        assert!(!lease.holds(ms(400)));
    }
}
