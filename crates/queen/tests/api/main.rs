//! The HTTP API over real queens in one process, on a network in memory.

mod cluster;
mod deadlines;
mod events;
mod failures;
mod network;
mod reads;
mod submissions;
mod tools;
mod views;
