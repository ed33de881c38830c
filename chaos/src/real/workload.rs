//! The work under which a cluster is broken: clients that submit, submit again, cancel and read, one who decides, and one
//! who sends noise.

use std::time::{SystemTime, UNIX_EPOCH};

mod client;
mod decider;
mod hostile;

pub(super) use client::work;
pub(super) use decider::decide;
pub(super) use hostile::disturb;

/// The wall time, in milliseconds since 1970.
pub(super) fn wall_ms() -> u64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_1970.as_millis()).unwrap_or(u64::MAX)
}
