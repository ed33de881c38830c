//! The waits between rounds of killing.

use std::time::Duration;

/// What is killed is gone after a moment.
const FIRST: Duration = Duration::from_millis(2);

/// What hangs in the kernel is not looked at all the time.
const LONGEST: Duration = Duration::from_millis(250);

/// Waits, each twice as long as the one before.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pauses(Duration);

impl Pauses {
    pub(crate) fn new() -> Self {
        Self(FIRST)
    }

    /// The next one.
    pub(crate) fn next(&mut self) -> Duration {
        let longer = (self.0 * 2).min(LONGEST);
        std::mem::replace(&mut self.0, longer)
    }
}
