//! A timer on the clock that counts suspension: it has run out when the machine wakes up.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};

/// A timer that is polled.
pub(super) struct Timer(OwnedFd);

impl Timer {
    pub(super) fn new() -> io::Result<Self> {
        let flags = TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK;
        Ok(Self(timerfd_create(TimerfdClockId::Boottime, flags)?))
    }

    /// It runs out after this time, and only then.
    pub(super) fn set(&self, after: Duration) {
        // A value of nothing would stop it.
        let after = after.max(Duration::from_nanos(1));
        let nothing = Timespec { tv_sec: 0, tv_nsec: 0 };
        let it_value = Timespec {
            tv_sec: i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: after.subsec_nanos().into(),
        };
        let value = Itimerspec { it_interval: nothing, it_value };
        // Fails only for values that are none. Without the timer every look around finds what is due.
        let _ = timerfd_settime(&self.0, TimerfdTimerFlags::empty(), &value);
    }
}

impl AsFd for Timer {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use rustix::event::{PollFd, PollFlags, poll};

    use super::*;

    fn runs_out(timer: &Timer, within: i64) -> bool {
        let within = Timespec { tv_sec: within, tv_nsec: 0 };
        poll(&mut [PollFd::new(timer, PollFlags::IN)], Some(&within)).expect("a timer can be polled") > 0
    }

    #[test]
    fn it_runs_out_in_time_and_can_be_set_again() {
        let timer = Timer::new().expect("the kernel has timers");
        timer.set(Duration::from_hours(1));
        assert!(!runs_out(&timer, 0));
        timer.set(Duration::ZERO);
        assert!(runs_out(&timer, 20));
        timer.set(Duration::from_hours(1));
        assert!(!runs_out(&timer, 0), "what has run out before does not count");
    }
}
