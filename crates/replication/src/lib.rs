//! Replication by Raft: the only crate that names openraft.
//!
//! [`Replica`] is what the others hold: it proposes entries in an epoch, reads the replicated state, and tells who
//! leads. Underneath, openraft decides, a [`LogEngine`](antfarm_storage::LogEngine) keeps log and vote, and peers talk
//! frames over a [`Net`](antfarm_env::Net). `DESIGN.md` beside this crate tells what is durable when.

mod bootstrap;
mod codec;
mod config;
mod core;
mod disk_watch;
mod drafts;
mod durations;
mod error;
mod feed;
#[cfg(test)]
mod fuzz;
mod identity;
mod log_store;
mod member;
mod membership;
mod metrics;
mod record;
mod replica;
mod simulated_runtime;
mod snapshot;
mod start;
mod state_machine;
mod status;
mod succession;
mod tasks;
mod transport;
mod types;
mod watched_engine;

#[cfg(test)]
mod openraft_suite;

pub use config::{InvalidConfig, ReplicaConfig};
pub use durations::Timed;
pub use error::{ChangeError, Failure, NotLeading, ProposeError, StartError, TransferError};
pub use feed::{Gap, Outcomes};
pub use member::Member;
pub use membership::{Change, Changed};
pub use openraft::AsyncRuntime;
pub use record::{StoredVote, stored_vote, term_of_record};
pub use replica::{Office, Pending, Replica};
pub use simulated_runtime::{SimulatedRuntime, TaskOwner};
pub use status::{Leadership, MemberStatus, QueueLength, ReplicaStatus};
pub use succession::ElectionCause;

/// The runtime of production: tokio.
pub type SystemRuntime = openraft_rt_tokio::TokioRuntime;
