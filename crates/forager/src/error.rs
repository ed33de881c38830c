//! Why a forager does not start, and why one stops.

use std::path::PathBuf;

use antfarm_storage::StorageError;

use crate::config::ConfigError;
use crate::keeper::KeeperError;

/// Why a forager does not start. Nothing runs.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The configuration contradicts itself or a bound.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The data folder cannot be used.
    #[error("the forager's data folder cannot be used: {0}")]
    Storage(#[from] StorageError),
    /// The journal's checksums are right, but this program does not understand a record.
    #[error(
        "the forager's journal has a record that this program does not know: run the version that wrote it, or a newer one"
    )]
    JournalVersion,
    /// The epoch file is not what was written.
    #[error(
        "the forager's epoch file is damaged, so it cannot tell a deposed queen from the leader: wipe the data folder once the attempts of this forager are decided"
    )]
    EpochDamaged,
    /// Of the two files that show each other to have been there, one is gone.
    #[error(
        "{} is gone, so this forager does not know what it ran or which queens were deposed: put the data folder back as it was, or wipe it once the attempts of this forager are decided",
        missing.display()
    )]
    MemoryIncomplete {
        /// The file that should be there.
        missing: PathBuf,
    },
    /// Programs run under a keeper, and there is none.
    #[error(transparent)]
    Keeper(#[from] KeeperError),
    /// A folder of the operating system's cannot be read or made.
    #[error("{what} failed: {source}")]
    System {
        /// What was attempted.
        what: &'static str,
        /// The operating system's answer.
        source: std::io::Error,
    },
}

/// Why a forager stopped without being asked to. Its programs have been killed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StopError {
    /// What must be remembered cannot be written.
    #[error("the forager stopped, because it cannot write what it must remember: {0}")]
    Storage(#[from] StorageError),
    /// Its task ended, as happens when its runtime is shut down.
    #[error("the forager's task was ended from outside, and what it ran is unknown until it starts again")]
    Abandoned,
}
