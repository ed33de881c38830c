//! The shipped fence: a folder that keeps, for each key, the highest fence that anybody came with.
//!
//! ```text
//!  DIR/antfarm-fences        says that this folder is one, so that an unmounted disk is not taken for an empty one
//!  DIR/HASH.fence            the record of a key: replaced as a whole, never changed in place
//!  DIR/HASH.lock             the lock of a key: empty, never replaced, held while a record is changed or a command runs
//! ```
//!
//! # What holds
//!
//! - A fence is admitted only under the lock of its key, and only if the record has no higher one.
//! - Before [`Fences::enter`] admits a fence, the record that says so is durable. So no crash and no power cut makes the
//!   folder forget a fence that was admitted.
//! - The lock belongs to the open file, which a command inherits ([`KeyLock::hand_down`]): it lasts until the last process
//!   that has the file is gone, and no longer. While it lasts, nothing else with that key is admitted.
//! - What is no sound record is an error. It is never taken for «no fence yet».

mod folder;
#[cfg(test)]
mod fuzz;
mod key;
mod lock;
mod record;
mod register;

use thiserror::Error;

use std::path::PathBuf;

use antfarm_model::Span;
use antfarm_storage::StorageError;

pub(crate) use folder::{Entry, Fences};
pub(crate) use key::Key;
pub(crate) use lock::KeyLock;
pub(crate) use register::Admission;

/// Why a fence was neither admitted nor refused.
#[derive(Debug, Error)]
pub(crate) enum FenceError {
    /// The folder is not there, or is an ordinary one.
    #[error(
        "{} is no folder of fences: it has no file {}. Nothing was admitted. If a disk belongs there, mount it; if it \
         is to be a new one, run: antfarm fence --init --dir {}",
        folder.display(), folder::MARK, folder.display()
    )]
    NoFences {
        /// The folder.
        folder: PathBuf,
    },

    /// A record is not as it was written, or was never written by this program.
    #[error(
        "{} is damaged or foreign: {why}. Nothing was admitted: a fence that cannot be read is not one that was never \
         there. Find out what happened to the disk; then put a copy back or, when no attempt with this key can be \
         alive, remove the file",
        path.display()
    )]
    Damaged {
        /// The record's file.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },

    /// Somebody had the lock of the key for the whole wait.
    #[error(
        "{key} stayed locked for {wait}: another attempt with this key runs under its fence. Nothing was admitted and \
         nothing was run, so a retry is safe; wait longer with --wait"
    )]
    Locked {
        /// The key, for people.
        key: String,
        /// For how long it was waited.
        wait: Span,
    },

    /// The operating system refused.
    #[error("nothing was admitted: {0}")]
    Disk(#[from] StorageError),

    /// The operating system refused to open or lock a lock file.
    #[error("nothing was admitted: {} could not be locked: {source}", path.display())]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// The answer of the operating system.
        source: std::io::Error,
    },
}
