//! The keeper: a small process beside the forager, under which its programs run.
//!
//! ```text
//!  forager ── socket ── keeper ──┬── sentry ── program ── whatever that starts
//!   Line                House    ├── sentry ── program
//!                                └── …         one sentry for each attempt that runs
//! ```
//!
//! Keeper and sentry are the same program as the forager, started under other names, each with a session of its own.
//! Both know when an attempt has to be dead, and either alone brings it about; if one of them is gone, the other ends what
//! both were there for. The keeper outlives its forager and keeps what programs said until the next one has it.
//! `DESIGN.md` of this crate has the argument.

mod address;
mod command;
mod descriptors;
mod due;
mod error;
mod frame;
#[cfg(test)]
mod fuzz;
mod house;
mod keeping;
mod line;
mod mail;
mod sentry;
mod simulated;
mod wire;

pub use command::KeeperCommand;
pub use error::KeeperError;
pub use house::run_keeper;
pub use keeping::Keeping;
pub use sentry::run_sentry;
pub use simulated::{ProgramCall, ProgramEnd, SimulatedKeeper, Workshop};

pub(crate) use due::{Due, Suspension};
pub(crate) use line::{Connection, Keeper, Surroundings, find, start};
pub(crate) use wire::{Ended, Exit, Start};

use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Below the data folder: the keeper's socket, lock and log.
const FOLDER: &str = "keeper";

/// Below the data folder: the working folders of programs.
pub(crate) const WORK_FOLDER: &str = "work";

/// What those sentries of a data folder's keeper carry in their environment that guard one attempt after the other. Whoever has
/// the folder knows it, so that they are found when the keeper is gone.
pub(crate) fn spare_mark(data: &Path) -> u64 {
    // Without the folder there is no keeper.
    std::fs::metadata(data).map_or(0, |folder| folder.ino().rotate_left(32) ^ folder.dev())
}
