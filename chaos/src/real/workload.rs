//! The work under which a cluster is broken: clients that submit, submit again, cancel and read, one who decides, and one
//! who sends noise.

mod client;
mod decider;
mod hostile;

pub(super) use client::work;
pub(super) use decider::decide;
pub(super) use hostile::disturb;
