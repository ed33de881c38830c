//! What all parts of one queen share.

use std::sync::{Arc, RwLock};
use std::time::Duration;

use antfarm_env::{Env, Net};
use antfarm_replication::Replica;
use antfarm_scheduler::{Liveness, Now};
use antfarm_storage::LogEngine;

use crate::config::QueenConfig;
use crate::desk::Desk;
use crate::events::Events;
use crate::metrics::Metrics;
use crate::sessions::Sessions;

/// A leader that was not acknowledged for so long has lost its quorum, for clients and for itself.
pub(crate) const QUORUM_SILENT: Duration = Duration::from_secs(1);

/// One queen's parts. A clone is the same queen.
#[derive(Clone)]
pub(crate) struct Shared(Arc<Parts>);

pub(crate) struct Parts {
    pub(crate) config: QueenConfig,
    pub(crate) env: Env,
    pub(crate) net: Net,
    /// Only looked at here; it is written to by the replica.
    pub(crate) log: Arc<dyn LogEngine>,
    pub(crate) replica: Replica,
    pub(crate) desk: Desk,
    pub(crate) events: Events,
    pub(crate) metrics: Metrics,
    pub(crate) sessions: Sessions,
    /// Whom the leadership hears, and by which time; `None` while this queen does not lead. Written at every tick.
    pub(crate) hearing: RwLock<Option<(Liveness, Now)>>,
}

impl Shared {
    pub(crate) fn new(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }
}

impl std::ops::Deref for Shared {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}
