//! A configuration as text, with every value that holds, its default and its bounds.

use std::fmt::Write as _;

use antfarm_model::{MemberId, Name};

use super::check::{find, table};
use super::settings::{Bounds, SETTINGS, Setting};
use super::{
    InitialMember, LeaseConfig, LimitsConfig, QueenConfig, RaftConfig, RetentionConfig, SchedulerConfig, StorageConfig,
};

/// Keys that every configuration must state: they have no default.
const REQUIRED: [&str; 6] = ["id", "cluster_id", "data_dir", "http", "initial_members", "raft.address"];

impl QueenConfig {
    /// A first queen on this machine, with the defaults: what `antfarm config print queen` shows without a file.
    ///
    /// # Panics
    /// Never.
    pub fn example() -> Self {
        let (http, raft) = ("127.0.0.1:7101".to_owned(), "127.0.0.1:7201".to_owned());
        Self {
            id: MemberId(1),
            cluster_id: Name::new("antfarm").expect("it is a name"),
            data_dir: "queen-1".into(),
            http: http.clone(),
            advertise_http: None,
            advertise_raft: None,
            insecure: false,
            initial_members: vec![InitialMember { id: MemberId(1), http, raft: raft.clone() }],
            join: Vec::new(),
            scheduler: SchedulerConfig::default(),
            lease: LeaseConfig::default(),
            raft: RaftConfig::new(raft),
            storage: StorageConfig::default(),
            limits: LimitsConfig::default(),
            retention: RetentionConfig::default(),
        }
    }

    /// The configuration as TOML that [`QueenConfig::parse`] reads, each key with its meaning, default and bounds.
    pub fn print(&self) -> String {
        let (values, defaults) = (table(self), table(&Self::example()));
        let mut text = String::new();
        let mut current = None;
        for setting in SETTINGS {
            let (section, name) = match setting.key.split_once('.') {
                Some((section, name)) => (Some(section), name),
                None => (None, setting.key),
            };
            if section != current {
                let _ = write!(text, "\n[{}]\n", section.unwrap_or_default()); // writing to a String cannot fail
                current = section;
            }
            let default = find(&defaults, setting.key).filter(|_| !REQUIRED.contains(&setting.key));
            let _ = writeln!(text, "# {}{}", setting.meaning, limits(setting, default));
            let _ = match find(&values, setting.key) {
                Some(value) => writeln!(text, "{name} = {value}"),
                None => writeln!(text, "# {name} = \"\""),
            };
        }
        text
    }
}

fn limits(setting: &Setting, default: Option<&toml::Value>) -> String {
    let default = default.map(|value| format!("default {value}"));
    let bounds = match setting.bounds {
        Bounds::Free | Bounds::Number(_, u64::MAX) => None,
        Bounds::Span(least, most) | Bounds::Size(least, most) => Some(format!("from {least} to {most}")),
        Bounds::Number(least, most) => Some(format!("from {least} to {most}")),
    };
    let parts: Vec<String> = default.into_iter().chain(bounds).collect();
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join("; ")) }
}
