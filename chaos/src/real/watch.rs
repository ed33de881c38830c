//! Who looks on: readers of events, a poller of each queen, and at the end the logs.

mod events;
mod logs;
mod poll;

pub(super) use events::read_events;
pub(super) use logs::read_logs;
pub(super) use poll::{poll, position};
