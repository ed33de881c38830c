//! What clients submit and what its programs are, on real machines and simulated ones.

mod graphs;
mod known;
mod programs;
mod request;

pub(crate) use graphs::{Moments, graph};
pub(crate) use known::{Came, Known, verdict};
pub(crate) use programs::{PROGRAMS, Program};
pub(crate) use request::request;
