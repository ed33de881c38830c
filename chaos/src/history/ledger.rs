//! The ledger: what tools did, as they wrote it down themselves in a file that no fault touches.

use serde::{Deserialize, Serialize};

/// One line of the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Line {
    pub(crate) event: Mark,
    pub(crate) graph: String,
    pub(crate) node: String,
    pub(crate) index: u32,
    pub(crate) fence: u64,
    pub(crate) epoch: u64,
    pub(crate) forager: String,
    /// Milliseconds since 1970.
    pub(crate) at: u64,
    /// With what a program exits, at its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) exit: Option<i32>,
}

/// What a line marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Mark {
    Start,
    /// It runs.
    Tick,
    End,
}

impl Line {
    /// The instance.
    pub(crate) fn instance(&self) -> (&str, &str, u32) {
        (&self.graph, &self.node, self.index)
    }
}

/// The lines of a ledger; one that is being written is left out.
pub(super) fn read(text: &str) -> anyhow::Result<Vec<Line>> {
    let complete = text.rsplit_once('\n').map_or("", |(complete, _)| complete);
    let lines = complete.lines().enumerate().map(|(number, line)| {
        serde_json::from_str(line)
            .map_err(|error| anyhow::anyhow!("line {} of the ledger is damaged: {error}: {line}", number + 1))
    });
    lines.collect()
}
