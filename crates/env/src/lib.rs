//! What surrounds a process: its clocks, randomness, tasks and network, each replaceable by a test.
//!
//! Queens and foragers name neither `std::time`, nor `tokio::spawn`, nor sockets: they are handed an [`Env`] and a
//! [`Net`]. A simulation hands them others, and one seed then decides everything.

mod env;
mod net;
mod system;
mod tcp;

pub use env::{Env, Environment, Task, Work};
pub use net::{ByteStream, Listener, Net, Network, Stream};
pub use system::{SystemClocks, SystemEnvironment};
pub use tcp::TcpNetwork;
