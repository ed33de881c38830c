//! The HTTP API and the forager protocol over real queens in one process, on a network in memory.

mod clocks;
mod cluster;
mod deadlines;
mod events;
mod failures;
mod forager;
mod leases;
mod members;
mod network;
mod power_cut;
mod reads;
mod registration;
mod submissions;
mod tools;
mod views;
