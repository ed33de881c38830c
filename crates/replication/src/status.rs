//! What a replica shows of itself.

use std::collections::BTreeMap;
use std::time::Duration;

use antfarm_model::{LogIndex, MemberId};

use crate::durations::Timed;
use crate::member::Member;

/// Who leads, as far as this replica has heard. A hint, never authority: an epoch comes from
/// [`Replica::open_office`](crate::Replica::open_office) only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leadership {
    /// This member seems to lead in this term.
    Leading {
        /// The term.
        term: u64,
    },
    /// Another member seems to lead, or nobody.
    Following {
        /// Who.
        leader: Option<MemberId>,
    },
}

/// A replica at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplicaStatus {
    /// This member.
    pub member: MemberId,
    /// Who seems to lead.
    pub leader: Option<MemberId>,
    /// The term of its vote.
    pub term: u64,
    /// Whether the cluster has a configuration yet.
    pub initialised: bool,
    /// The entry of the configuration in force, committed or not.
    pub configuration_index: LogIndex,
    /// All members of the configuration.
    pub members: BTreeMap<MemberId, MemberStatus>,
    /// The last entry of its log.
    pub last_index: LogIndex,
    /// The last entry that it knows to be committed; its own log may end before that.
    pub commit_index: LogIndex,
    /// The last entry that it applied.
    pub applied_index: LogIndex,
    /// The last entry in its snapshot.
    pub snapshot_index: LogIndex,
    /// The last entry that is purged from its log.
    pub purged_index: LogIndex,
    /// How long ago a quorum last acknowledged this leader.
    pub quorum_acked: Option<Duration>,
    /// The snapshots that it has written since it started.
    pub snapshots: Timed,
    /// For how long it held up other entries: by the application of one, and by the copy of the state for a snapshot.
    pub stalls: Timed,
}

/// How much waits in a queue, and how much may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueLength {
    /// What waits there, and for whom; where there are several, the longest one counts.
    pub name: &'static str,
    /// How much.
    pub length: usize,
    /// How much may.
    pub limit: usize,
}

/// A member of the configuration, as this replica sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberStatus {
    /// Where it is.
    pub member: Member,
    /// Whether it votes; otherwise it learns.
    pub voter: bool,
    /// The last entry that it is known to have; known to the leader only.
    pub matched_index: Option<LogIndex>,
    /// How long ago it answered a heartbeat; known to the leader only.
    pub heard: Option<Duration>,
}
