//! How many clusters run at once on this machine, whatever runs the tests.

use std::time::Duration;

use anyhow::Context;

use crate::lock::Lock;
use crate::wait_until;

/// More clusters than this would disturb each other's times on two cores.
const AT_ONCE: u32 = 2;

/// A test waits for its turn at most this long: others may be many, and each has its own bounds.
const WITHIN: Duration = Duration::from_mins(30);

/// The right to run a cluster, held until it is dropped.
#[derive(Debug)]
pub struct Turn(#[expect(dead_code, reason = "to hold it is all")] Lock);

impl Turn {
    /// Waits until fewer than two clusters run.
    pub fn take() -> Self {
        wait_until("a turn to run a cluster", WITHIN, || {
            let free = (0..AT_ONCE).find_map(|number| Lock::try_take(&format!("turn-{number}")));
            free.map(Self).context("others run")
        })
    }
}
