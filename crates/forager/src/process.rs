//! Processes of the machine: groups, descendants, identities, and what a former forager left running.

mod group;
mod held;
mod leftovers;
mod mark;
mod pauses;
mod proc_files;
mod search;
mod tree;

pub(crate) use group::Group;
pub(crate) use held::Held;
pub(crate) use leftovers::{Leftover, Unkillable, end_leftovers};
pub use mark::{InvalidProcessMark, ProcessMark};
pub(crate) use pauses::Pauses;
#[cfg(test)]
pub(crate) use proc_files::is_running;
pub(crate) use proc_files::{boot_id, children, load_average_percent, sentry_mark};
pub(crate) use search::Search;
pub(crate) use tree::kill_below;

/// The variable by which the sentry of an attempt is known. Programs do not inherit it.
pub const SENTRY_VARIABLE: &str = "ANTFARM_SENTRY";

/// The variable by which the other processes of an attempt are known, even those that left its group.
pub(crate) const MARK_VARIABLE: &str = "ANTFARM_RUN";
