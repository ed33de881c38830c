//! Descendants of a keeper that have lost their sentry.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use crate::process::{Held, Search, children, kill_below};

/// The numbers of all sentries that have not been reaped. Every other child of a keeper is an orphan.
#[derive(Debug, Clone, Default)]
pub(super) struct Sentries(Arc<Mutex<BTreeSet<u32>>>);

impl Sentries {
    fn lock(&self) -> MutexGuard<'_, BTreeSet<u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Must be told in the same moment in which the sentry is started: the keeper has one thread.
    pub(super) fn add(&self, id: u32) {
        self.lock().insert(id);
    }

    pub(super) fn remove(&self, id: u32) {
        self.lock().remove(&id);
    }

    /// Kills all orphans of this process with their descendants, reaps them, and waits until none is left.
    pub(super) async fn end_orphans(&self) {
        let mut search = Search::new();
        loop {
            let orphans: Vec<u32> =
                children(std::process::id()).into_iter().filter(|id| !self.lock().contains(id)).collect();
            orphans.iter().copied().for_each(end);
            let Some(pause) = search.saw(orphans.len()) else { return };
            tokio::time::sleep(pause).await;
        }
    }
}

/// A child that is not reaped keeps its number.
fn end(orphan: u32) {
    kill_below(orphan);
    if let Some(held) = Held::open(orphan) {
        held.kill();
    }
    if let Some(pid) = i32::try_from(orphan).ok().and_then(Pid::from_raw) {
        // One that has not ended yet is seen again.
        let _ = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
    }
}
