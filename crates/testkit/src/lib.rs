//! Clusters of real processes under a test's control, and what can be told about them from outside.
//!
//! ```text
//!  Cluster ──┬── Queen × 3    ─┐  each a Daemon: started, killed, paused, stopped, started again
//!            └── Forager × N  ─┘
//!     │  antfarm(…)  the command line, as people use it        Ledger     what tools really did
//!     │  get(…)      the HTTP interface, of any queen or one   Events     what the queens say happened
//! ```
//!
//! [`Hosts`] are machines of their own for whatever a test starts itself, which can be cut off from each other.
//!
//! Nothing here looks into a process: whatever is asserted was read from a socket, a file or an exit status.
//! Nothing outlives its owner: a dropped [`Cluster`] takes its processes and its folder with it, and a daemon ends
//! when the process of the test does. Tests wait on conditions with [`wait_until`] and never sleep.

mod binary;
mod cluster;
mod command;
mod daemon;
mod dice;
mod events;
mod hosts;
mod http;
mod ledger;
mod lock;
mod logs;
mod ports;
mod processes;
mod relay;
mod scratch;
mod turn;
mod wait;
mod workflow;

pub use binary::binary;
pub use cluster::{Cluster, ClusterSpec, Forager, Queen};
pub use command::{Command, Finished, Running};
pub use daemon::Daemon;
pub use dice::{Dice, seed};
pub use events::{Events, NoEvents};
pub use hosts::{Hosts, MAX_HOSTS};
pub use http::{Answer, Http};
pub use ledger::{Attempt, Instance, Ledger};
pub use logs::print_log_tails;
pub use ports::Ports;
pub use processes::{
    child_processes, is_alive, keeper_of, kill, pause, processes_in, resume, sentries_of, signal, state,
};
pub use relay::Relay;
pub use scratch::Scratch;
pub use turn::Turn;
pub use wait::wait_until;
pub use workflow::{Workflow, workflows};
