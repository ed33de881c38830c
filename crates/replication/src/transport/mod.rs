//! How peers talk: bincode frames over byte streams, one connection per peer and purpose.
//!
//! ```text
//! connect ── Hello ──▶ accept        magic, protocol version, cluster, member from and to, disk id, purpose
//!         ◀─ Welcome ─               who answers, with which disk; or why not
//!         ── Request(n) ──▶          one after the other; answered in the same order
//!         ◀─ Response(n) ─
//! ```
//!
//! openraft's own types never cross the wire: [`wire`] has frozen ones.

mod convert;
mod frame;
#[cfg(test)]
mod fuzz;
mod gate;
mod heard;
mod hello;
mod incoming;
mod knock;
mod lane;
mod links;
mod network;
mod peers;
mod probe;
mod server;
mod wire;

pub(crate) use gate::Gate;
pub(crate) use heard::Heard;
pub(crate) use hello::Refusal;
pub(crate) use knock::{Door, knock};
pub(crate) use links::{Links, Standing};
pub(crate) use network::NetworkFactory;
pub(crate) use peers::{Context, Peers, Refusals};
pub(crate) use probe::{Finding, probe};
pub(crate) use server::{Handler, serve};
pub(crate) use wire::{LifeV1, Purpose, Request, Response, StatementV1, StatusV1};
