//! Why there is no keeper.

use std::io;
use std::path::PathBuf;

/// Why a keeper cannot be started, or one that is there cannot be talked to.
#[derive(Debug, thiserror::Error)]
pub enum KeeperError {
    /// Its folder cannot be made or used.
    #[error("the keeper's folder {} cannot be used: {source}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The operating system's answer.
        source: io::Error,
    },
    /// The program cannot be started.
    #[error("the keeper, {} keeper, cannot be started: {source}", program.display())]
    Program {
        /// The program.
        program: PathBuf,
        /// The operating system's answer.
        source: io::Error,
    },
    /// It ended before anybody could talk to it.
    #[error("the keeper ended as soon as it was started; its log {} says why", log.display())]
    EndedAtOnce {
        /// Where it says why.
        log: PathBuf,
    },
    /// It was started and does not answer.
    #[error("the keeper was started and does not answer; its log {} may say why", log.display())]
    Silent {
        /// Where it may say why.
        log: PathBuf,
    },
    /// Another keeper has the folder.
    #[error("another keeper uses {}: end the process `antfarm keeper` that names it", folder.display())]
    Taken {
        /// The folder.
        folder: PathBuf,
    },
    /// The kernel refuses what a keeper needs.
    #[error("the kernel does not let this process {what}: {source}")]
    Kernel {
        /// What it wants to do.
        what: &'static str,
        /// The answer.
        source: io::Error,
    },
    /// What a former keeper or forager left running was killed, and does not end.
    #[error(
        "{0} processes of former attempts were killed and still run: they hang in the kernel, such as in a file system that does not answer; start again when they are gone"
    )]
    Unkillable(usize),
}
