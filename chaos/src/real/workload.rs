//! The work under which a cluster is broken: clients that submit, submit again, cancel and read, and one who decides.

mod client;
mod decider;

pub(super) use client::work;
pub(super) use decider::decide;
