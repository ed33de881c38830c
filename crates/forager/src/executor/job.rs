//! What a run is given.

use std::path::PathBuf;
use std::sync::Arc;

use antfarm_env::Env;
use antfarm_model::Name;
use antfarm_protocol::Assign;
use antfarm_storage::Disk;

/// One attempt, and how its processes are recognised.
#[derive(Debug)]
pub(crate) struct Job {
    /// What was assigned.
    pub(crate) assign: Arc<Assign>,
    /// What its processes carry in their environment; in the journal, too.
    pub(crate) mark: u64,
}

/// What all runs of a forager share.
pub(crate) struct Surroundings {
    /// Clocks, random numbers, tasks.
    pub(crate) env: Env,
    /// Where ledgers are.
    pub(crate) disk: Arc<dyn Disk>,
    /// The forager's name.
    pub(crate) forager: Name,
    /// The folder in which each run of a program has one of its own.
    pub(crate) work: PathBuf,
    /// The largest result, in bytes.
    pub(crate) result_bytes: usize,
}
