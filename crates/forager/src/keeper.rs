//! The keeper: a small process beside the forager, under which its programs run.
//!
//! ```text
//!  forager ── socket ── keeper ──┬── sentry ── program ── whatever that starts
//!   Line                House    ├── sentry ── program
//!                                └── …         one sentry for each attempt
//! ```
//!
//! Keeper and sentry are the same program as the forager, started under other names, each with a session of its own.
//! Both know when an attempt has to be dead, and either alone brings it about; if one of them is gone, the other ends what
//! both were there for. The keeper outlives its forager and keeps what programs said until the next one has it.
//! `DESIGN.md` of this crate has the argument.

mod address;
mod command;
mod due;
mod error;
mod frame;
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

use antfarm_protocol::AttemptRef;

/// Below the data folder: the keeper's socket, lock and log.
const FOLDER: &str = "keeper";

/// Below the data folder: the working folders of programs.
pub(crate) const WORK_FOLDER: &str = "work";

/// The name of an attempt's working folder.
pub(crate) fn folder_name(attempt: &AttemptRef) -> String {
    let AttemptRef { graph, node, index, fence } = attempt;
    format!("{graph}-{node}-{index}-{fence}")
}
