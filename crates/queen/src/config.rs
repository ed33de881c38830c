//! A queen's configuration: TOML with defaults, bounds and relations that are checked before anything starts.
//!
//! `config/settings.rs` lists every key with its bounds and its meaning; [`QueenConfig::print`] writes that list with
//! the values that hold.

mod check;
mod parse;
mod print;
mod settings;
#[cfg(test)]
mod tests;
mod text;

use std::collections::BTreeMap;
use std::path::PathBuf;

use antfarm_model::{Limits, MemberId, Name, Span};
use antfarm_replication::{Member, ReplicaConfig};
use antfarm_scheduler::Policy;
use serde::{Deserialize, Serialize};

pub use parse::InvalidConfig;
pub use text::Size;

/// What a queen is told at its start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueenConfig {
    /// The member id, never used twice in a cluster.
    pub id: MemberId,
    /// The cluster that it belongs to.
    pub cluster_id: Name,
    /// The folder of its log, its snapshots and its identity.
    pub data_dir: PathBuf,
    /// Where it takes connections of clients and foragers (`host:port`). In a file, by default as `initial_members` says.
    pub http: String,
    /// Where clients and foragers reach it, if that is another address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advertise_http: Option<String>,
    /// Where its peers reach it, if that is another address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advertise_raft: Option<String>,
    /// Whether it may listen at other addresses than loopback without TLS.
    #[serde(default)]
    pub insecure: bool,
    /// The members that the cluster begins with, this one among them; none if it joins.
    #[serde(default)]
    pub initial_members: Vec<InitialMember>,
    /// Where queens of a cluster take connections of their peers, if this one is to be added to it (`host:port`).
    #[serde(default)]
    pub join: Vec<String>,
    /// When and how work is given out.
    #[serde(default)]
    pub scheduler: SchedulerConfig,
    /// How long foragers may go on without a leader.
    #[serde(default)]
    pub lease: LeaseConfig,
    /// Replication. In a file, `raft = "ADDR"` is short for a table with only that `address`.
    pub raft: RaftConfig,
    /// Where the log is kept.
    #[serde(default)]
    pub storage: StorageConfig,
    /// How large things may be.
    #[serde(default)]
    pub limits: LimitsConfig,
    /// How long things are remembered.
    #[serde(default)]
    pub retention: RetentionConfig,
}

/// A member that a cluster begins with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InitialMember {
    /// The member id.
    pub id: MemberId,
    /// Where clients and foragers reach it (`host:port`).
    pub http: String,
    /// Where its peers reach it (`host:port`).
    pub raft: String,
}

/// When and how work is given out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SchedulerConfig {
    /// How often a leader looks for what only time changes.
    #[serde(with = "text::span")]
    pub tick: Span,
    /// How long an assignment may stay unacknowledged before the same attempt is sent again.
    #[serde(with = "text::span")]
    pub assign_timeout: Span,
    /// Which of the possible foragers gets an instance.
    pub placement: Placement,
    /// After how many lost foragers in a row an instance fails as poison.
    pub poison_limit: u32,
}

/// Which of the possible foragers gets an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// The first in registry order.
    #[default]
    RegistryOrder,
}

/// How long foragers may go on without a leader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LeaseConfig {
    /// How long a lease lasts.
    #[serde(with = "text::span")]
    pub ttl: Span,
    /// How often a forager says that it is there.
    #[serde(with = "text::span")]
    pub heartbeat: Span,
    /// By how much two clocks may differ in speed, in percent.
    pub drift_percent: u32,
}

/// Replication.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RaftConfig {
    /// Where this queen takes connections of its peers (`host:port`). In a file, by default as `initial_members` says.
    pub address: String,
    /// How often a leader says that it is there.
    #[serde(with = "text::span", default = "RaftConfig::default_heartbeat")]
    pub heartbeat: Span,
    /// A follower that hears no leader campaigns after at least this.
    #[serde(with = "text::span", default = "RaftConfig::default_election_timeout_min")]
    pub election_timeout_min: Span,
    /// The longest such wait.
    #[serde(with = "text::span", default = "RaftConfig::default_election_timeout_max")]
    pub election_timeout_max: Span,
}

/// Where the log is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StorageConfig {
    /// The log engine.
    pub engine: EngineKind,
    /// No snapshot is taken as long as fewer bytes were logged since the last one.
    pub snapshot_floor: Size,
    /// Entries that stay in the log behind a snapshot.
    pub entries_kept: u64,
}

/// A log engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EngineKind {
    /// Segmented append-only files.
    #[default]
    Segments,
    /// sled.
    Sled,
}

/// How large things may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitsConfig {
    /// The text of a graph.
    pub graph_bytes: Size,
    /// Nodes of a graph.
    pub nodes: u32,
    /// A Raft entry.
    pub entry_bytes: Size,
    /// A result.
    pub result_bytes: Size,
    /// A frame between processes.
    pub frame_bytes: Size,
    /// Connections of clients and foragers at the same time; more wait to be taken.
    pub connections: u32,
}

/// How long things are remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RetentionConfig {
    /// How long a finished graph is kept.
    #[serde(with = "text::span")]
    pub finished: Span,
    /// How long the id of a removed graph stays taken.
    #[serde(with = "text::span")]
    pub dedupe_window: Span,
}

impl QueenConfig {
    /// Where clients and foragers reach this queen (`host:port`).
    pub fn advertised_http(&self) -> &str {
        self.advertise_http.as_deref().or(self.own().map(|own| own.http.as_str())).unwrap_or(&self.http)
    }

    /// Where its peers reach this queen (`host:port`).
    pub fn advertised_raft(&self) -> &str {
        self.advertise_raft.as_deref().or(self.own().map(|own| own.raft.as_str())).unwrap_or(&self.raft.address)
    }

    /// What its replica is told.
    pub fn replica(&self) -> ReplicaConfig {
        let members: BTreeMap<MemberId, Member> = self
            .initial_members
            .iter()
            .map(|member| (member.id, Member { raft: member.raft.clone(), http: member.http.clone() }))
            .collect();
        ReplicaConfig {
            heartbeat: self.raft.heartbeat.to_std(),
            election_timeout_min: self.raft.election_timeout_min.to_std(),
            election_timeout_max: self.raft.election_timeout_max.to_std(),
            limits: self.limits.limits(),
            snapshot_floor_bytes: self.storage.snapshot_floor.0,
            entries_kept: self.storage.entries_kept,
            join: self.join.clone(),
            ..ReplicaConfig::new(self.cluster_id.clone(), self.id, self.raft.address.clone(), members)
        }
    }

    /// What a leader's decisions depend on.
    pub fn policy(&self) -> Policy {
        Policy {
            heartbeat: self.lease.heartbeat,
            lease_ttl: self.lease.ttl,
            drift_percent: self.lease.drift_percent,
            retention: self.retention.finished,
            dedupe_window: self.retention.dedupe_window,
        }
    }

    /// Its own line among the initial members.
    fn own(&self) -> Option<&InitialMember> {
        self.initial_members.iter().find(|member| member.id == self.id)
    }
}

impl LimitsConfig {
    /// The same, as the other crates know them. What the bounds of the settings forbid is cut.
    pub fn limits(&self) -> Limits {
        let short = |size: Size| u32::try_from(size.0).unwrap_or(u32::MAX);
        Limits {
            graph_bytes: self.graph_bytes.0,
            nodes: self.nodes,
            entry_bytes: short(self.entry_bytes),
            result_bytes: short(self.result_bytes),
            frame_bytes: short(self.frame_bytes),
        }
    }
}

impl RaftConfig {
    /// Replication at that address, otherwise with the defaults.
    pub fn new(address: String) -> Self {
        Self {
            address,
            heartbeat: Self::default_heartbeat(),
            election_timeout_min: Self::default_election_timeout_min(),
            election_timeout_max: Self::default_election_timeout_max(),
        }
    }

    fn default_heartbeat() -> Span {
        Span(50)
    }

    fn default_election_timeout_min() -> Span {
        Span(150)
    }

    fn default_election_timeout_max() -> Span {
        Span(300)
    }
}

impl Default for SchedulerConfig {
    fn default() -> Self {
        Self { tick: Span(250), assign_timeout: Span::from_secs(5), placement: Placement::default(), poison_limit: 3 }
    }
}

impl Default for LeaseConfig {
    fn default() -> Self {
        let Policy { heartbeat, lease_ttl, drift_percent, .. } = Policy::default();
        Self { ttl: lease_ttl, heartbeat, drift_percent }
    }
}

impl Default for StorageConfig {
    fn default() -> Self {
        Self { engine: EngineKind::default(), snapshot_floor: Size(16 << 20), entries_kept: 512 }
    }
}

impl Default for LimitsConfig {
    fn default() -> Self {
        let limits = Limits::default();
        Self {
            graph_bytes: Size(limits.graph_bytes),
            nodes: limits.nodes,
            entry_bytes: Size(limits.entry_bytes.into()),
            result_bytes: Size(limits.result_bytes.into()),
            frame_bytes: Size(limits.frame_bytes.into()),
            connections: 8_192,
        }
    }
}

impl Default for RetentionConfig {
    fn default() -> Self {
        let Policy { retention, dedupe_window, .. } = Policy::default();
        Self { finished: retention, dedupe_window }
    }
}
