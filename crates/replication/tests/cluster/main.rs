//! Several replicas in one process: what holds among them.

mod begin;
mod drafts;
mod elect;
mod harness;
mod identity;
mod members;
mod overload;
mod propose;
mod restart;
mod show;
mod snapshot;
mod stop;
mod succession;
mod switch;
