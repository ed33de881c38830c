//! Processes of the machine: groups, identities, and what a former forager left running.

mod group;
mod leftovers;
mod proc_files;

pub(crate) use group::Group;
pub(crate) use leftovers::end_leftovers;
#[cfg(test)]
pub(crate) use proc_files::is_alive;
pub(crate) use proc_files::{boot_id, load_average_percent, started_ticks};

/// The variable by which the processes of an attempt are known, even those that left its group.
pub(crate) const MARK_VARIABLE: &str = "ANTFARM_RUN";
