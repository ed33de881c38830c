//! A queen: the process that replicates the scheduler's state, and runs the scheduler while it leads.
//!
//! [`Queen::start`] is handed everything that surrounds it: clocks, network, disk, log engine. There are no globals, no
//! signals, and no `std::time` or `tokio::spawn` beneath it.

mod api;
mod config;
mod desk;
mod events;
mod metrics;
mod office;
mod queen;
mod sessions;
mod shared;

pub use config::{
    EngineKind, InitialMember, InvalidConfig, LeaseConfig, LimitsConfig, Placement, QueenConfig, RaftConfig,
    RetentionConfig, SchedulerConfig, Size, StorageConfig,
};
pub use queen::{Queen, QueenHandle, StartError};
