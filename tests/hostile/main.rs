//! What strangers, fools and broken machines send, and that it harms nobody: one file for each kind of sender.

mod assignments;
mod clients;
mod foragers;
mod given;
mod graphs;
mod memory;
mod references;
mod session;
mod tools;
mod wire;
