//! The forager: keeps a session with every queen, runs attempts, and remembers what it must.
//!
//! ```text
//!  queens ── WebSocket ── sessions ──▶ foreman ──▶ executor ── built-in tools
//!                            ▲           │  │          │
//!                            └───────────┘  ▼          └── keeper (a process of its own) ── programs
//!                                    journal, epoch                 │
//!                                             foreman ◀── ends ─────┘
//! ```
//!
//! The foreman owns all state. It works in turns: it takes what has arrived, decides, writes the journal, and only then
//! starts programs and speaks. Nothing here is global, reads a signal, or opens a socket of its own.

mod calls;
mod config;
mod epoch_file;
mod error;
mod executor;
mod forager;
mod foreman;
#[cfg(test)]
mod fuzz;
mod host;
mod journal;
mod keeper;
mod memory;
mod process;
mod report;
mod session;
mod status;
mod take_over;

pub use calls::Calls;
pub use config::{
    ConfigError, DEFAULT_KILL_GRACE, DEFAULT_PREFETCH, DEFAULT_SLOTS, ForagerConfig, InvalidQueenAddress, MAX_SLOTS,
    QueenAddress, ToolProgram,
};
pub use error::{StartError, StopError};
pub use forager::{Forager, ForagerHandle};
pub use host::Host;
pub use keeper::{
    KeeperCommand, KeeperError, Keeping, ProgramCall, ProgramEnd, SimulatedKeeper, Workshop, run_keeper, run_sentry,
};
pub use process::{InvalidProcessMark, ProcessMark, SENTRY_VARIABLE};
pub use status::Status;
