//! What a cluster is to be.

use super::Cluster;
use crate::ports::MAX_QUEENS;

/// What a cluster is to be.
#[derive(Debug, Clone)]
pub struct ClusterSpec {
    pub(super) queens: u16,
    pub(super) foragers: u16,
    pub(super) slots: u32,
    pub(super) tools: Vec<(String, Vec<String>)>,
    pub(super) queen_settings: String,
    pub(super) forager_settings: String,
}

impl ClusterSpec {
    pub(super) fn new() -> Self {
        Self {
            queens: MAX_QUEENS,
            foragers: 3,
            slots: 8,
            tools: Vec::new(),
            queen_settings: String::new(),
            forager_settings: String::new(),
        }
    }

    /// Another number of foragers.
    #[must_use]
    pub fn foragers(mut self, foragers: u16) -> Self {
        self.foragers = foragers;
        self
    }

    /// Another number of slots of each forager.
    #[must_use]
    pub fn slots(mut self, slots: u32) -> Self {
        self.slots = slots;
        self
    }

    /// A program that all foragers have. Its manifest is for the test to give.
    #[must_use]
    pub fn program(mut self, name: &str, command: &[&str]) -> Self {
        self.tools.push((name.to_owned(), command.iter().map(ToString::to_string).collect()));
        self
    }

    /// A shell script that all foragers have as a program.
    #[must_use]
    pub fn script(self, name: &str, script: &str) -> Self {
        self.program(name, &["/bin/sh", "-c", script])
    }

    /// Tables (TOML) for every queen's configuration.
    #[must_use]
    pub fn queen_settings(mut self, toml: &str) -> Self {
        self.queen_settings.push_str(toml);
        self
    }

    /// Tables (TOML) for every forager's configuration.
    #[must_use]
    pub fn forager_settings(mut self, toml: &str) -> Self {
        self.forager_settings.push_str(toml);
        self
    }

    /// Starts it, and waits until there is a leader that has every forager.
    pub fn start(self) -> Cluster {
        let cluster = Cluster::of(&self);
        cluster.launch();
        cluster
    }
}
