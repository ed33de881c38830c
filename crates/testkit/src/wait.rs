//! The only place in which tests wait.

use std::time::{Duration, Instant};

use crate::seed;

/// Between two looks at a condition.
pub(crate) const PAUSE: Duration = Duration::from_millis(10);

/// Looks again and again until `look` finds what is waited for, and returns it.
///
/// Panics when it was not found `within` that time, and says what was waited for, how it stood at the last look, and the
/// seed.
pub fn wait_until<T>(what: &str, within: Duration, mut look: impl FnMut() -> anyhow::Result<T>) -> T {
    let deadline = Instant::now() + within;
    loop {
        match look() {
            Ok(found) => return found,
            Err(last) if Instant::now() >= deadline => {
                panic!(
                    "waited {within:?} for this and did not see it: {what}\n  last look: {last:#}\n  ANTFARM_SEED={}",
                    seed()
                );
            }
            Err(_) => std::thread::sleep(PAUSE),
        }
    }
}
