//! When this member last heard from a leader that it accepts.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use antfarm_env::Env;

/// When this member last heard from a leader that it accepts, on the monotonic clock.
pub(crate) struct Heard {
    env: Env,
    at: Mutex<Option<Duration>>,
}

impl Heard {
    pub(crate) fn new(env: Env) -> Self {
        Self { env, at: Mutex::default() }
    }

    /// A leader was heard.
    pub(super) fn note(&self) {
        *self.lock() = Some(self.env.monotonic());
    }

    /// How long ago that was.
    pub(crate) fn ago(&self) -> Option<Duration> {
        let at = (*self.lock())?;
        Some(self.env.monotonic().saturating_sub(at))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Duration>> {
        self.at.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
