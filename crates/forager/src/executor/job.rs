//! What a run is given.

use std::sync::Arc;

use antfarm_env::Env;
use antfarm_model::Name;
use antfarm_protocol::Assign;
use antfarm_storage::Disk;

use crate::keeper::Keeper;

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
    /// Under whom programs run.
    pub(crate) keeper: Keeper,
    /// The largest result, in bytes.
    pub(crate) result_bytes: usize,
}
