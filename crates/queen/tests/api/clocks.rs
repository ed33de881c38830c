//! Clocks that a test sets forward; time goes on by itself as well.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use antfarm_env::{Environment, SystemEnvironment, Task, Work};

/// The environment of queens. A clone shares its clocks.
#[derive(Clone)]
pub(crate) struct Clocks {
    system: SystemEnvironment,
    /// By how many milliseconds both clocks are ahead of the system's.
    passed: Arc<AtomicU64>,
    /// By how many more the clock is ahead that counts suspension.
    slept: Arc<AtomicU64>,
}

impl Clocks {
    pub(crate) fn new() -> Self {
        Self { system: SystemEnvironment::current(), passed: Arc::default(), slept: Arc::default() }
    }

    /// The processes did not run for so long, while the machine did.
    pub(crate) fn stall(&self, milliseconds: u64) {
        self.passed.fetch_add(milliseconds, Ordering::SeqCst);
    }

    /// The machine was suspended for so long.
    pub(crate) fn suspend(&self, milliseconds: u64) {
        self.slept.fetch_add(milliseconds, Ordering::SeqCst);
    }
}

impl Environment for Clocks {
    fn monotonic(&self) -> Duration {
        self.system.monotonic() + Duration::from_millis(self.passed.load(Ordering::SeqCst))
    }

    fn boot_time(&self) -> Duration {
        let ahead = self.passed.load(Ordering::SeqCst) + self.slept.load(Ordering::SeqCst);
        self.system.boot_time() + Duration::from_millis(ahead)
    }

    fn wall_ms(&self) -> u64 {
        self.system.wall_ms()
    }

    fn random(&self) -> u64 {
        self.system.random()
    }

    fn spawn(&self, task: Task) {
        self.system.spawn(task);
    }

    fn run_blocking(&self, work: Work) {
        self.system.run_blocking(work);
    }
}
