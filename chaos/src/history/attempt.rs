//! What becomes of attempts, leases and foragers, as somebody sees it who can look into them.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// An attempt, by the names that stand in documents.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct AttemptName {
    pub(crate) graph: String,
    pub(crate) node: String,
    /// The instance.
    pub(crate) instance: u32,
    pub(crate) fence: u64,
}

/// As processes write it in their logs, with numbers for names: `g1/n2[0]#3`.
impl FromStr for AttemptName {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let parts = || {
            let (graph, rest) = text.split_once('/')?;
            let (node, rest) = rest.split_once('[')?;
            let (instance, fence) = rest.split_once("]#")?;
            let (graph, node) = (graph.to_owned(), node.to_owned());
            Some(Self { graph, node, instance: instance.parse().ok()?, fence: fence.parse().ok()? })
        };
        parts().ok_or(())
    }
}

/// What a forager does with an attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AttemptStep {
    /// It starts, on the word of a leader of this epoch.
    Starts { epoch: u64 },
    /// It runs no more.
    Ends,
    /// A queen has said that its end is committed, or discarded.
    Confirmed,
    /// The forager keeps nothing of it any more.
    Forgotten,
}

/// An attempt that the state shows as open, and who will close it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OpenAttempt {
    #[serde(flatten)]
    pub(crate) attempt: AttemptName,
    pub(crate) forager: String,
    /// Nothing if nobody will.
    pub(crate) closer: Option<Closer>,
}

/// What will close an open attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Closer {
    /// The process of its forager, which runs it or holds its end.
    Process,
    /// A timer of the leader: it will be sent again, or cancelled.
    Timer,
    /// The end of its forager's lease.
    Lease,
}

/// What came of a message that nobody with a right would send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum HostileEnd {
    /// An answer that says no.
    Refused,
    /// The connection was closed, or nobody took notice.
    Ignored,
    /// It was taken for good.
    Accepted,
}
