//! Who was removed from the cluster, as far as this member has applied: for ever, so nobody talks to them again.

use std::collections::BTreeSet;

use antfarm_model::MemberId;
use tokio::sync::watch;

use crate::error::Failure;
use crate::transport::{Refusal, Refusals};

/// The members that were removed. A clone is the same one.
///
/// A copy of what the state holds, because whoever asks must not wait while an entry is applied.
#[derive(Debug, Clone)]
pub(crate) struct Removed(watch::Sender<BTreeSet<MemberId>>);

impl Removed {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(BTreeSet::new()))
    }

    /// These were removed, as the state has it now.
    pub(crate) fn learn(&self, removed: &BTreeSet<MemberId>) {
        self.0.send_if_modified(|known| {
            let is_news = known != removed;
            if is_news {
                known.clone_from(removed);
            }
            is_news
        });
    }

    pub(crate) fn contains(&self, member: MemberId) -> bool {
        self.0.borrow().contains(&member)
    }
}

/// Waits until this member is known to be removed: it has applied that itself, or a peer has and says so.
pub(crate) async fn expelled(member: MemberId, removed: Removed, refusals: Refusals) -> Failure {
    let (mut removed, mut refusals) = (removed.0.subscribe(), refusals.subscribe());
    let own = Refusal::Removed(member);
    let applied = removed.wait_for(|removed| removed.contains(&member));
    let told = refusals.wait_for(|last| last.as_ref().is_some_and(|(_, refusal)| *refusal == own));
    tokio::select! {
        biased;
        _ = applied => {}
        _ = told => {}
    }
    Failure::Removed
}
