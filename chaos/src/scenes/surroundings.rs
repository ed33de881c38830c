//! What surrounds a process in a scene: the clock of the runtime, random numbers from the seed, nobody to run programs.

use std::future::{Future, pending};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use antfarm_env::{Env, Environment, Task};
use antfarm_forager::{Host, Keeping, ProgramCall, ProgramEnd, SimulatedKeeper, Workshop};
use tokio::time::Instant;

use crate::random::Random;

/// The same numbers for the same seed, and the same moments where time is paused.
pub(super) fn env(seed: u64) -> Env {
    Env::new(Surroundings { began: Instant::now(), random: Mutex::new(Random::new(seed)) })
}

/// A machine on which no program ever ends.
pub(super) fn host(env: &Env) -> Host {
    let keeper = SimulatedKeeper::new(Arc::new(Idle(env.clone())));
    Host { boot_id: "one".into(), keeper: Keeping::Simulated(keeper) }
}

struct Surroundings {
    began: Instant,
    random: Mutex<Random>,
}

impl Environment for Surroundings {
    fn monotonic(&self) -> Duration {
        self.began.elapsed()
    }

    fn boot_time(&self) -> Duration {
        self.began.elapsed()
    }

    fn wall_ms(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn random(&self) -> u64 {
        self.random.lock().unwrap_or_else(PoisonError::into_inner).next()
    }

    fn spawn(&self, task: Task) {
        tokio::spawn(task);
    }
}

struct Idle(Env);

impl Workshop for Idle {
    fn env(&self) -> Env {
        self.0.clone()
    }

    fn run(&self, _: ProgramCall) -> Pin<Box<dyn Future<Output = ProgramEnd> + Send>> {
        Box::pin(pending())
    }
}
