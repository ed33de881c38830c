//! What a replica is told at its start, and what openraft is told because of it.

use std::collections::BTreeMap;
use std::time::Duration;

use antfarm_model::{Limits, MemberId, Name};
use antfarm_planted::{Bug, planted};
use openraft::{Config, SnapshotPolicy};

use crate::disk_watch::STANDSTILL_TIMEOUTS;
use crate::member::Member;

/// What a replica is told at its start. [`ReplicaConfig::new`] fills in what the defaults are for.
#[derive(Debug, Clone)]
pub struct ReplicaConfig {
    /// The cluster. A replica of another one is refused.
    pub cluster: Name,
    /// How often the cluster was restored from a backup: the upper 16 bits of every epoch.
    pub generation: u16,
    /// This member.
    pub member: MemberId,
    /// Where it takes connections of its peers (`host:port`).
    pub raft_listen: String,
    /// The members that the cluster begins with, this one among them; none if it joins.
    pub initial_members: BTreeMap<MemberId, Member>,
    /// Where members of the cluster take connections of their peers, if this one joins: it waits until it is added.
    pub join: Vec<String>,
    /// How often a leader says that it is there. Must exceed the slowest usual sync of a disk.
    pub heartbeat: Duration,
    /// A follower that hears no leader campaigns after at least this, at least three heartbeats.
    pub election_timeout_min: Duration,
    /// The longest such wait, and how long a leader counts as alive after it was heard.
    pub election_timeout_max: Duration,
    /// No snapshot is taken before that much was applied since the last one.
    pub snapshot_floor_bytes: u64,
    /// How many entries stay in the log behind a snapshot, for followers that are a little behind.
    pub entries_kept: u64,
    /// How many proposals may be under way; more wait.
    pub proposals_in_flight: usize,
    /// How many outcomes a reader of [`Replica::outcomes`](crate::Replica::outcomes) may be behind.
    pub outcomes_kept: usize,
    /// How large entries and frames may be.
    pub limits: Limits,
}

/// Why a [`ReplicaConfig`] makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidConfig {
    /// The times contradict each other.
    #[error(
        "the election time-out ({election_min:?} to {election_max:?}) must be at least three heartbeats \
         ({heartbeat:?}) at its least, more at its most, and everything at least a millisecond"
    )]
    Times {
        /// The heartbeat.
        heartbeat: Duration,
        /// The least time-out.
        election_min: Duration,
        /// The greatest.
        election_max: Duration,
    },
    /// A bound is zero or too small to work with.
    #[error("{name} is {value}, and must be at least {least}")]
    TooSmall {
        /// Its name.
        name: &'static str,
        /// What was given.
        value: u64,
        /// The least that works.
        least: u64,
    },
    /// Two members have one address.
    #[error("members {first} and {second} have the same address {address}: each needs its own")]
    SharedAddress {
        /// One member.
        first: MemberId,
        /// The other.
        second: MemberId,
        /// The address.
        address: String,
    },
}

/// Frames carry an entry and what surrounds it.
const FRAME_OVERHEAD_BYTES: u32 = 64 << 10;

/// Of one AppendEntries request.
const BATCH_BYTES: u32 = 512 << 10;

impl ReplicaConfig {
    /// A configuration with the defaults: heartbeat 50 ms, election time-out 150 to 300 ms.
    pub fn new(
        cluster: Name,
        member: MemberId,
        raft_listen: String,
        initial_members: BTreeMap<MemberId, Member>,
    ) -> Self {
        Self {
            cluster,
            generation: 0,
            member,
            raft_listen,
            initial_members,
            join: Vec::new(),
            heartbeat: Duration::from_millis(50),
            election_timeout_min: Duration::from_millis(150),
            election_timeout_max: Duration::from_millis(300),
            snapshot_floor_bytes: 16 << 20,
            entries_kept: 512,
            proposals_in_flight: 1024,
            outcomes_kept: 4096,
            limits: Limits::default(),
        }
    }

    /// Checks the relations between the values.
    pub fn check(&self) -> Result<(), InvalidConfig> {
        let (heartbeat, min, max) = (self.heartbeat, self.election_timeout_min, self.election_timeout_max);
        if heartbeat < Duration::from_millis(1) || min < heartbeat * 3 || max <= min {
            return Err(InvalidConfig::Times { heartbeat, election_min: min, election_max: max });
        }
        let least = |name, value: u64, least| {
            if value < least { Err(InvalidConfig::TooSmall { name, value, least }) } else { Ok(()) }
        };
        least("entry_bytes", u64::from(self.limits.entry_bytes), 1024)?;
        least(
            "frame_bytes",
            u64::from(self.limits.frame_bytes),
            u64::from(self.limits.entry_bytes) + u64::from(FRAME_OVERHEAD_BYTES),
        )?;
        least("proposals_in_flight", self.proposals_in_flight as u64, 1)?;
        least("outcomes_kept", self.outcomes_kept as u64, 1)?;
        let mut addresses = BTreeMap::new();
        for (id, member) in &self.initial_members {
            if let Some(first) = addresses.insert(&member.raft, *id) {
                return Err(InvalidConfig::SharedAddress { first, second: *id, address: member.raft.clone() });
            }
        }
        Ok(())
    }

    /// How many bytes of entries go into one message, unless one entry alone has more: it must fit a frame, and be soon
    /// durable, because a follower answers not even a heartbeat before that.
    pub(crate) fn entries_bytes(&self) -> usize {
        BATCH_BYTES.min(self.limits.frame_bytes - FRAME_OVERHEAD_BYTES) as usize
    }

    /// Not much more than what is kept in any case may gather before a snapshot is asked for.
    fn entries_between_questions(&self) -> u64 {
        if planted(Bug::PurgedAtOnce) {
            return 1;
        }
        (self.entries_kept / 2).clamp(1, MOST_ENTRIES_BETWEEN_QUESTIONS)
    }

    /// After how long a disk that syncs nothing stands still.
    pub(crate) fn standstill(&self) -> Duration {
        self.election_timeout_max * STANDSTILL_TIMEOUTS
    }

    /// What openraft is told. Each value that differs from its default has its reason in `DESIGN.md`.
    pub(crate) fn to_openraft(&self) -> Result<Config, openraft::ConfigError> {
        Config {
            cluster_name: self.cluster.to_string(),
            heartbeat_interval: millis(self.heartbeat),
            election_timeout_min: millis(self.election_timeout_min),
            election_timeout_max: millis(self.election_timeout_max),
            enable_leader_restore: Some(planted(Bug::OfficeResumed)),
            enable_pre_vote: Some(true),
            allow_log_reversion: Some(false),
            install_snapshot_timeout: SNAPSHOT_TIMEOUT_MS,
            snapshot_policy: SnapshotPolicy::LogsSinceLast(self.entries_between_questions()),
            replication_lag_threshold: u64::MAX,
            max_in_snapshot_log_to_keep: if planted(Bug::PurgedAtOnce) { 0 } else { self.entries_kept },
            purge_batch_size: PURGE_BATCH_ENTRIES.min(self.entries_between_questions()),
            backoff: RECONNECT_BACKOFF.to_owned(),
            ..Config::default()
        }
        .validate()
    }
}

/// One whole transfer of a snapshot; its chunks have deadlines of their own.
const SNAPSHOT_TIMEOUT_MS: u64 = 10 * 60 * 1000;

/// openraft asks at least this often whether a snapshot is due; the state machine answers by bytes.
const MOST_ENTRIES_BETWEEN_QUESTIONS: u64 = 256;

const PURGE_BATCH_ENTRIES: u64 = 64;

/// How long replication waits before it tries an unreachable peer again.
const RECONNECT_BACKOFF: &str = "20ms 40ms ...200ms";

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
