//! What surrounds one life of one process: the clocks of its machine, random numbers from the seed, its own tasks.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use antfarm_env::{Env, Environment, Task};
use tokio::time::Instant;

use super::life::Life;

/// When the simulation begins, in milliseconds since 1970: the first of January 2026.
const BEGINS_MS: u64 = 1_767_225_600_000;

/// How long machines have been up when the simulation begins.
const UP: Duration = Duration::from_hours(1);

/// The true time, which only the harness sees. A clone has the same origin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Time(Instant);

impl Time {
    /// It begins now.
    pub(super) fn begin() -> Self {
        Self(Instant::now())
    }

    pub(super) fn elapsed(self) -> Duration {
        self.0.elapsed()
    }

    pub(super) fn wall_ms(self) -> u64 {
        BEGINS_MS + millis(self.elapsed())
    }
}

/// The clocks of one machine. A clone has the same clocks.
#[derive(Debug, Clone)]
pub(super) struct Clocks {
    time: Time,
    offsets: Arc<Offsets>,
}

#[derive(Debug, Default)]
struct Offsets {
    /// By how much the wall clock is ahead of the true time, in milliseconds.
    wall: AtomicI64,
    /// For how long the machine was suspended, in milliseconds.
    suspended: AtomicU64,
    /// When it was started last, in milliseconds.
    booted: AtomicU64,
}

impl Clocks {
    /// A machine whose wall clock is wrong by so much.
    pub(super) fn new(time: Time, wall_ms: i64) -> Self {
        let clocks = Self { time, offsets: Arc::default() };
        clocks.jump(wall_ms);
        clocks
    }

    /// The wall clock is set.
    pub(super) fn jump(&self, by_ms: i64) {
        self.offsets.wall.fetch_add(by_ms, Ordering::Relaxed);
    }

    /// The machine was suspended until now, for so long.
    pub(super) fn suspended(&self, length: Duration) {
        self.offsets.suspended.fetch_add(millis(length), Ordering::Relaxed);
    }

    /// The machine was started again.
    pub(super) fn boot(&self) {
        self.offsets.booted.store(millis(self.time.elapsed() + UP), Ordering::Relaxed);
        self.offsets.suspended.store(0, Ordering::Relaxed);
    }

    pub(super) fn wall_ms(&self) -> u64 {
        self.time.wall_ms().saturating_add_signed(self.offsets.wall.load(Ordering::Relaxed))
    }

    fn boot_time(&self) -> Duration {
        let booted = Duration::from_millis(self.offsets.booted.load(Ordering::Relaxed));
        (self.time.elapsed() + UP).saturating_sub(booted)
    }

    fn monotonic(&self) -> Duration {
        self.boot_time().saturating_sub(Duration::from_millis(self.offsets.suspended.load(Ordering::Relaxed)))
    }
}

/// The environment of a life on a machine with these clocks.
pub(super) fn env(life: &Life, clocks: &Clocks) -> Env {
    Env::new(Surroundings { life: life.clone(), clocks: clocks.clone() })
}

struct Surroundings {
    life: Life,
    clocks: Clocks,
}

impl Environment for Surroundings {
    fn monotonic(&self) -> Duration {
        self.clocks.monotonic()
    }

    fn boot_time(&self) -> Duration {
        self.clocks.boot_time()
    }

    fn wall_ms(&self) -> u64 {
        self.clocks.wall_ms()
    }

    fn random(&self) -> u64 {
        self.life.random()
    }

    fn spawn(&self, task: Task) {
        self.life.spawn(task);
    }
}

pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
