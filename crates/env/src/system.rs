//! The environment that the operating system gives.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::env::{Environment, Task, Work};

/// The system's clocks, the thread's random numbers and the tokio runtime that it was made in.
#[derive(Debug, Clone)]
pub struct SystemEnvironment {
    runtime: tokio::runtime::Handle,
}

impl SystemEnvironment {
    /// Takes the runtime that is running now.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn current() -> Self {
        Self { runtime: tokio::runtime::Handle::current() }
    }
}

impl Environment for SystemEnvironment {
    fn monotonic(&self) -> Duration {
        SystemClocks::monotonic()
    }

    fn boot_time(&self) -> Duration {
        SystemClocks::boot_time()
    }

    fn wall_ms(&self) -> u64 {
        u64::try_from(read(ClockId::Realtime).as_millis()).unwrap_or(u64::MAX)
    }

    fn random(&self) -> u64 {
        rand::random()
    }

    fn spawn(&self, task: Task) {
        self.runtime.spawn(task);
    }

    fn run_blocking(&self, work: Work) {
        self.runtime.spawn_blocking(work);
    }
}

/// The system's clocks, for a process that has no runtime.
#[derive(Debug, Clone, Copy)]
pub struct SystemClocks;

impl SystemClocks {
    /// As [`Environment::monotonic`].
    pub fn monotonic() -> Duration {
        read(ClockId::Monotonic)
    }

    /// As [`Environment::boot_time`].
    pub fn boot_time() -> Duration {
        read(ClockId::Boottime)
    }
}

/// A clock before its origin reads as the origin.
fn read(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let nanos = u32::try_from(time.tv_nsec).unwrap_or(0);
    Duration::new(seconds, nanos)
}
