//! Every key of a queen's configuration, with its bounds and its meaning.

/// One key.
pub(super) struct Setting {
    /// The path in the file, such as `raft.heartbeat`.
    pub(super) key: &'static str,
    pub(super) bounds: Bounds,
    /// A sentence for people.
    pub(super) meaning: &'static str,
}

/// The least and the greatest value, both allowed, as people write them.
pub(super) enum Bounds {
    Free,
    Span(&'static str, &'static str),
    Size(&'static str, &'static str),
    Number(u64, u64),
}

use Bounds::{Free, Number, Size, Span};

const fn setting(key: &'static str, bounds: Bounds, meaning: &'static str) -> Setting {
    Setting { key, bounds, meaning }
}

/// All keys, in the order in which they are printed: those of the root first, then table by table.
pub(super) const SETTINGS: &[Setting] = &[
    setting("id", Number(1, u64::MAX), "The member id, never used twice in a cluster."),
    setting("cluster_id", Free, "The cluster that this queen belongs to."),
    setting("data_dir", Free, "The folder of its log, its snapshots and its identity."),
    setting(
        "http",
        Free,
        "Where it takes connections of clients and foragers (host:port); by default as initial_members says.",
    ),
    setting("advertise_http", Free, "Where clients and foragers reach it; by default as initial_members says."),
    setting("advertise_raft", Free, "Where its peers reach it; by default as initial_members says."),
    setting("insecure", Free, "Whether it may listen at other addresses than loopback without TLS."),
    setting("initial_members", Free, "The members that the cluster begins with, the same list for all of them."),
    setting(
        "join",
        Free,
        "In place of initial_members: raft addresses (host:port) of queens of a cluster that this one is to be added to.",
    ),
    setting("scheduler.tick", Span("10ms", "10s"), "How often a leader looks for what only time changes."),
    setting(
        "scheduler.assign_timeout",
        Span("100ms", "1h"),
        "How long an assignment may stay unacknowledged before the same attempt is sent again.",
    ),
    setting("scheduler.placement", Free, "Which of the possible foragers gets an instance: registry_order."),
    setting(
        "scheduler.poison_limit",
        Number(1, 100),
        "After how many lost foragers in a row an instance fails as poison.",
    ),
    setting("lease.ttl", Span("300ms", "1h"), "How long a forager may run guarded work without hearing from a leader."),
    setting("lease.heartbeat", Span("20ms", "1m"), "How often a forager says that it is there."),
    setting("lease.drift_percent", Number(0, 50), "By how much two clocks may differ in speed."),
    setting(
        "raft.address",
        Free,
        "Where it takes connections of its peers (host:port), by default as initial_members says; also written raft = \"host:port\".",
    ),
    setting(
        "raft.heartbeat",
        Span("5ms", "10s"),
        "How often a leader says that it is there; more than a slow sync of the disk.",
    ),
    setting(
        "raft.election_timeout_min",
        Span("15ms", "1m"),
        "A follower that hears no leader campaigns after at least this.",
    ),
    setting("raft.election_timeout_max", Span("20ms", "2m"), "The longest such wait."),
    setting("storage.engine", Free, "The log engine: segments or sled. A data folder stays with the one that made it."),
    setting(
        "storage.snapshot_floor",
        Size("1KiB", "1GiB"),
        "No snapshot is taken as long as fewer bytes were logged since the last one.",
    ),
    setting(
        "storage.entries_kept",
        Number(16, 1_000_000),
        "Entries that stay in the log behind a snapshot, for queens that are a little behind.",
    ),
    setting("limits.graph_bytes", Size("1KiB", "128MiB"), "The text of a graph."),
    setting("limits.nodes", Number(1, 10_000_000), "Nodes of a graph; its instances count ten to the node."),
    setting("limits.entry_bytes", Size("64KiB", "64MiB"), "A Raft entry."),
    setting("limits.result_bytes", Size("64B", "16MiB"), "A result, as JSON."),
    setting("limits.frame_bytes", Size("128KiB", "128MiB"), "A frame between processes."),
    setting("limits.connections", Number(64, 65_536), "Connections of clients and foragers at the same time."),
    setting("retention.finished", Span("0ms", "3650d"), "How long a finished graph is kept."),
    setting("retention.dedupe_window", Span("0ms", "3650d"), "How long the id of a removed graph stays taken."),
];
