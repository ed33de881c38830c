//! Who this replica is, and whose disk it has seen at each peer: an amnesiac voter must not vote.
//!
//! A data folder gets a random number, its disk id, when it is first used, and keeps it beside cluster and member. Each
//! replica remembers the first disk id that it saw of every member. A member that comes back with another one has lost
//! what it voted and acknowledged: it is refused, and can return only under a new member id.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use antfarm_env::Env;
use antfarm_model::{MemberId, Name};
use antfarm_storage::{Fact, LogEngine, OnDurable, StorageError};
use serde::{Deserialize, Serialize};

use crate::codec::{self, Kind};
use crate::config::ReplicaConfig;
use crate::error::StartError;
use crate::log_store::durable;
use crate::membership::Removed;

/// What a data folder knows of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Identity {
    pub(crate) cluster: Name,
    pub(crate) member: MemberId,
    pub(crate) disk: u64,
}

impl Identity {
    /// Reads the identity of a data folder, or gives one to a folder that is new.
    pub(crate) async fn establish(
        engine: &dyn LogEngine,
        config: &ReplicaConfig,
        env: &Env,
    ) -> Result<Self, StartError> {
        let Some(bytes) = engine.fact(Fact::Identity) else {
            if engine.bounds().last.is_some() || engine.vote().is_some() || engine.fact(Fact::Purged).is_some() {
                return Err(StartError::IdentityLost);
            }
            let identity = Self { cluster: config.cluster.clone(), member: config.member, disk: env.random() };
            let bytes = codec::encode(Kind::Identity, &identity);
            durable(|on_durable| engine.save_fact(Fact::Identity, bytes, on_durable)).await?;
            return Ok(identity);
        };
        let identity: Self = codec::decode(Kind::Identity, &bytes).map_err(|_| StartError::IdentityLost)?;
        if identity.cluster != config.cluster {
            return Err(StartError::OtherCluster { expected: config.cluster.clone(), found: identity.cluster });
        }
        if identity.member != config.member {
            return Err(StartError::OtherMember { expected: config.member, found: identity.member });
        }
        Ok(identity)
    }
}

/// The disk ids of the peers, as they were first seen.
pub(crate) struct PeerDisks {
    engine: Arc<dyn LogEngine>,
    removed: Removed,
    /// Those that are durable.
    seen: Mutex<BTreeMap<MemberId, u64>>,
}

/// How many members are remembered; a cluster never comes near it, a flood of strangers ends at it.
const MEMBERS_REMEMBERED: usize = 64;

/// Why the disk of a peer was not accepted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DiskRefused {
    #[error("member {0} came back with another disk; remove it and add it under a new member id")]
    Changed(MemberId),
    #[error("member {0} was removed from the cluster, and its id is never used again")]
    Removed(MemberId),
    #[error("what is known of the disk of member {0} cannot be read")]
    Unreadable(MemberId),
    #[error("more than {MEMBERS_REMEMBERED} members have introduced themselves")]
    TooMany,
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl PeerDisks {
    pub(crate) fn new(engine: Arc<dyn LogEngine>, removed: Removed) -> Self {
        Self { engine, removed, seen: Mutex::default() }
    }

    /// Accepts the disk that was first seen of a member, and no other; none of a removed one. A first sight is durable when this returns.
    pub(crate) async fn check(&self, member: MemberId, disk: u64) -> Result<(), DiskRefused> {
        if self.removed.contains(member) {
            return Err(DiskRefused::Removed(member));
        }
        match self.seen().get(&member) {
            Some(seen) if *seen == disk => return Ok(()),
            Some(_) => return Err(DiskRefused::Changed(member)),
            None => {}
        }
        let mut noted = Ok(());
        durable(|on_durable| noted = self.note(member, disk, on_durable)).await?;
        noted?;
        self.seen().insert(member, disk);
        Ok(())
    }

    /// Queues the note of a disk, unless another one is noted already.
    fn note(&self, member: MemberId, disk: u64, on_durable: OnDurable) -> Result<(), DiskRefused> {
        let seen = self.seen();
        let noted = match self.engine.fact(Fact::PeerDisk(member.0)) {
            None if seen.len() >= MEMBERS_REMEMBERED => Err(DiskRefused::TooMany),
            None => Ok(disk),
            Some(bytes) => codec::decode(Kind::PeerDisk, &bytes).map_err(|_| DiskRefused::Unreadable(member)),
        };
        match noted {
            Ok(noted) if noted == disk => {
                self.engine.save_fact(Fact::PeerDisk(member.0), codec::encode(Kind::PeerDisk, &disk), on_durable);
                Ok(())
            }
            refused => {
                on_durable(Ok(()));
                refused.and(Err(DiskRefused::Changed(member)))
            }
        }
    }

    fn seen(&self) -> MutexGuard<'_, BTreeMap<MemberId, u64>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
