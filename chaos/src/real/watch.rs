//! Who looks on: readers of events, a poller of each queen, one who looks at memory, one who asks why nodes wait, and at
//! the end the logs.

mod events;
mod logs;
mod memory;
mod poll;
mod waits;

pub(super) use events::read_events;
pub(super) use logs::read_logs;
pub(super) use memory::watch_memory;
pub(super) use poll::{poll, position};
pub(super) use waits::watch_waits;
